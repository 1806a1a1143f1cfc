//! The moves that must not compile, one file each under `tests/ui`, and the error code that each fails with: a move that
//! fails for another reason is no proof. What the compiler can't hold, clippy holds: see `moves_held_by_clippy.rs`.

use std::{fs, path::Path};

/// Each move and its error code.
const MOVES: &[(&str, &str)] = &[
    ("f01_open_unscreened", "E0624"),
    ("f02_field_unscreened", "E0616"),
    ("f03_make_screened", "E0624"),
    ("f04_raw_tool", "E0271"),
    ("f05_show_unscreened", "E0308"),
    ("f06_forge_permit", "E0451"),
    ("f07_forge_confirmed", "E0451"),
    ("f08_forge_snapshot", "E0451"),
    ("f09_send_twice", "E0382"),
    ("f10_claim_twice", "E0382"),
    ("f11_clone_permit", "E0308"),
    ("f12_clone_to_owned_receipt", "E0599"),
    ("f13_forge_receipt", "E0451"),
    ("f14_keep_receipt", "E0597"),
    ("f15_read_without_receipt", "E0061"),
    ("f16_own_store", "E0277"),
    ("f17_new_method_breaks_decorator", "E0046"),
    ("f18_own_handler_gets_no_desk", "E0308"),
    ("f19_policy_from_tool", "E0616"),
    ("f20_read_draft_content", "E0616"),
    ("f21_provider_foreign_type", "E0277"),
    ("f22_third_stage", "E0277"),
    ("f23_serialize_permit", "E0277"),
    ("f24_serialize_message", "E0277"),
    ("f25_debug_unscreened", "E0277"),
    ("f26_dyn_mailbox", "E0038"),
    ("f27_question_state", "E0616"),
    ("f28_page_own_foreign", "E0277"),
    ("h01_backend_derives_serialize", "E0277"),
    ("h02_forge_the_wire", "E0451"),
    ("h02_steal_the_state", "E0277"),
    ("h04_permit_into_page", "E0277"),
    ("h08_smuggle_through_render", "E0308"),
];

#[test]
fn none_of_the_forbidden_moves_compiles() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}

#[test]
fn each_move_fails_for_its_own_reason() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let files = fs::read_dir(&ui).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "rs")
    });
    assert_eq!(files.count(), MOVES.len(), "every file under tests/ui stands in MOVES");
    for (name, code) in MOVES {
        let expected = fs::read_to_string(ui.join(format!("{name}.stderr"))).unwrap();
        assert!(expected.contains(&format!("error[{code}]")), "{name} should fail with {code}:\n{expected}");
    }
}
