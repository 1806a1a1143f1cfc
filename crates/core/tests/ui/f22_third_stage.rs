//! There are two stages.

use countersign_core::protection::Stage;
struct Mine;
impl Stage for Mine { type Of<T: Send> = T; }

fn main() {}
