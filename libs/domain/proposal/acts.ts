/** Acts for which a workspace may want two people. */
export const TWO_PEOPLE_ACTS = ['promote', 'force', 'erase', 'delete'] as const;
export type TwoPeopleAct = (typeof TWO_PEOPLE_ACTS)[number];

/** Acts that are proposed; `two_people`: that fewer acts need two people. */
export const PROPOSED_ACTS = [...TWO_PEOPLE_ACTS, 'two_people'] as const;
export type ProposedAct = (typeof PROPOSED_ACTS)[number];
