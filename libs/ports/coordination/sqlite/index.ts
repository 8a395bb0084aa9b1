export { COORDINATION_SERVICE, coordinationService, type CoordinationServiceOptions } from './coordination-service.js';
export { openSqliteCoordination, SqliteCoordination, type SqliteCoordinationOptions } from './sqlite-coordination.js';
