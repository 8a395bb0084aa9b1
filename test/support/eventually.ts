import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves once this holds. For what no event and no message tells of, such as files: else `until` of the test API. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(5);
}
