export { LogNotFoundError, LogUnusableError, type Durability } from './database.js';
export { FolderInUseError } from './lock.js';
export { LOG_SERVICE, logService } from './log-service.js';
export { holdsLogFile, presentOf } from './lost-log.js';
export { openSqliteEventReader, SqliteEventReader } from './reader.js';
export { openSqliteEventStore, SqliteEventStore, type SqliteEventStoreOptions } from './store.js';
