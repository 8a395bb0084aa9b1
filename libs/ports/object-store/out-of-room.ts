/** System error codes for a full disk or quota. EFBIG: a file may not grow further. */
const OUT_OF_ROOM = new Set<string | undefined>(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether an error means that the disk is full. Waiting may help. */
export function isOutOfRoom(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause)
    if (OUT_OF_ROOM.has((each as NodeJS.ErrnoException).code)) return true;
  return false;
}
