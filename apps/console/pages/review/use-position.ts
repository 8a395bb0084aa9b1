import { useStored } from '../../components/use-stored.js';

/** The state of a review in this tab, which survives a reload. */
export interface Position {
  /** Id of the call on the screen; empty for the first of the queue. */
  readonly call: string;
  readonly judged: number;
  readonly skipped: number;
}

/** @param queue name of the queue: each has its own position */
export function usePosition(queue: string): readonly [Position, (changes: Partial<Position>) => void] {
  const [position, setPosition] = useStored<Position>(`review ${queue}`, { call: '', judged: 0, skipped: 0 });
  return [position, (changes) => setPosition({ ...position, ...changes })];
}
