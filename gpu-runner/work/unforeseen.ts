/** What the user is told of an error that is not about the work itself: its kind, and never what it says of this machine. */
export function nameOfUnforeseen(error: unknown): string {
  if (!(error instanceof Error)) return 'an unexpected error in the runner';
  if (OUT_OF_ROOM.has((error as NodeJS.ErrnoException).code)) return "no room left on the runner's disk";
  return `an unexpected ${error.name} in the runner`;
}

const OUT_OF_ROOM = new Set<string | undefined>(['ENOSPC', 'EDQUOT', 'EFBIG']);
