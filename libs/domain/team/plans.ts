export const PLANS = ['free', 'pro', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** The plans on which a team may opt out of the use of its data. */
const WITH_OPT_OUT: readonly Plan[] = ['pro', 'enterprise'];

export const allowsOptOut = (plan: Plan): boolean => WITH_OPT_OUT.includes(plan);
