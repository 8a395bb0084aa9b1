/** The id of a line of a job's log, as the OpenAI API writes ids. */
export const eventIdOf = (jobId: string, line: number): string => `ftevent-${jobId}-${line}`;

/** The number of the line that an event's id names; null if it is no event of this job. */
export function lineOf(jobId: string, id: string): number | null {
  const line = Number(/-([1-9]\d{0,14})$/.exec(id)?.[1] ?? NaN);
  return id === eventIdOf(jobId, line) ? line : null;
}
