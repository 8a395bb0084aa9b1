import { useState } from 'react';

/** How a review of this tab stands, which a reload does not lose. */
export interface Position {
  /** Id of the call on the screen; empty for the first of the queue. */
  readonly call: string;
  readonly judged: number;
  readonly skipped: number;
}

const START: Position = { call: '', judged: 0, skipped: 0 };

/** @param queue what names the queue: each has a position of its own */
export function usePosition(queue: string): readonly [Position, (changes: Partial<Position>) => void] {
  const key = `anneal-review ${queue}`;
  const [position, setPosition] = useState<Position>(() => ({
    ...START,
    ...(JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Position>),
  }));
  const change = (changes: Partial<Position>): void => {
    const next = { ...position, ...changes };
    sessionStorage.setItem(key, JSON.stringify(next));
    setPosition(next);
  };
  return [position, change];
}
