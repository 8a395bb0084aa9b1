import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { modelNames } from '../../api/queries.js';
import { Headline } from '../../components/headline.js';
import { aboutDollars, number } from '../../components/values.js';
import { DAYS, savedIn, useSavings } from '../distillation/savings-queries.js';

/** What the small models saved, in a sentence; nothing where none answers for a large one. */
export function Saved(): ReactElement | null {
  const savings = [...useSavings(useQuery(modelNames).data?.models ?? []).values()];
  const sum = (of: (each: (typeof savings)[number]) => number) => savings.reduce((total, each) => total + of(each), 0);
  const calls = sum((each) => each.calls);
  if (calls === 0) return null;
  const saved = sum((each) => savedIn(each) ?? 0);
  return (
    <Headline kind="info" action={<Link to="/models">By model</Link>}>
      Small models answered {number(sum(({ answered }) => answered))} of {number(calls)} calls in {DAYS} days
      {saved > 0 && <> and saved {aboutDollars(saved)}</>}.
    </Headline>
  );
}
