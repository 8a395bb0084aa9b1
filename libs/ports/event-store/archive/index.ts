export { ArchiveReader, withArchived } from './archive-reader.js';
export {
  ARCHIVE_PREFIX,
  isSegmentKey,
  packSegment,
  segmentKey,
  SegmentDamagedError,
  unpackSegment,
} from './segment.js';
