/** Codes of the system for a disk, or a share of it, that takes no more. EFBIG: a file may grow no larger. */
const OUT_OF_ROOM = new Set<string | undefined>(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether an error means that the disk is full. Waiting may help. */
export function isOutOfRoom(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (OUT_OF_ROOM.has((each as NodeJS.ErrnoException).code)) return true;
  return false;
}
