//! No two payloads share a canonical form, and no two calls a binding.

use countersign_confirm::Payload;
use proptest::prelude::*;

use crate::{
    fuzz::reads_back,
    payloads::{payload, text},
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// What can be read back is written for one payload only.
    #[test]
    fn every_form_is_read_back_as_what_it_was_made_of(payload in payload()) {
        reads_back(&payload);
    }

    /// The same said of pairs that are close to each other: one is a change of the other.
    #[test]
    fn a_value_and_its_wrappings_have_forms_of_their_own(value in payload(), name in text()) {
        let forms = [
            value.clone(),
            Payload::List(vec![value.clone()]),
            Payload::Set(vec![value.clone()]),
            Payload::Map(vec![(value.clone(), value.clone())]),
            Payload::List(vec![Payload::List(vec![value.clone(), value.clone()])]),
            Payload::record([(name.clone(), value.clone())]),
            Payload::record([(format!("${name}"), value.clone())]),
            Payload::Text(value.canonical()),
            Payload::Bytes(value.canonical().into_bytes()),
        ];
        let distinct: std::collections::BTreeSet<_> = forms.iter().map(Payload::canonical).collect();
        prop_assert_eq!(distinct.len(), forms.len());
    }

    /// The order in which members and entries were given does not show.
    #[test]
    fn order_does_not_show(mut members in prop::collection::btree_map(text(), payload(), 0..5)) {
        let forward: Vec<_> = members.clone().into_iter().collect();
        let backward: Vec<_> = members.clone().into_iter().rev().collect();
        let set = |members: &[(String, Payload)]| Payload::Set(members.iter().map(|(_, v)| v.clone()).collect());
        let map = |members: &[(String, Payload)]| {
            Payload::Map(members.iter().map(|(k, v)| (k.as_str().into(), v.clone())).collect())
        };
        prop_assert_eq!(set(&forward).canonical(), set(&backward).canonical());
        prop_assert_eq!(map(&forward).canonical(), map(&backward).canonical());
        let all = Payload::record(members.clone()).canonical();
        if let Some(first) = members.keys().next().cloned() {
            members.remove(&first);
            prop_assert_ne!(Payload::record(members).canonical(), all);
        }
    }
}
