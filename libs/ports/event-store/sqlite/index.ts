export { LOG_FORMAT, LogNotFoundError, LogUnusableError, type Durability } from './database.js';
export { countHeld } from './held.js';
export { FolderInUseError, lockFolder } from './lock.js';
export { holdsLogFile, presentOf } from './lost-log.js';
export { openSqliteEventReader, SqliteEventReader } from './reader.js';
export { inspectStoredSeal } from './sealed-rows.js';
export { openSqliteEventStore, SqliteEventStore } from './store.js';
export { readStoredRows } from './stored.js';
