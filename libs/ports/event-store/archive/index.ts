export { ArchiveReader, withArchived } from './archive-reader.js';
export {
  ARCHIVED,
  ARCHIVE_PREFIX,
  isSegmentKey,
  packSegment,
  readSegment,
  segmentKey,
  SegmentDamagedError,
} from './segment.js';
