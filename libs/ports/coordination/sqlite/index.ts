export { coordinationService } from './coordination-service.js';
export { openSqliteCoordination, SqliteCoordination } from './sqlite-coordination.js';
