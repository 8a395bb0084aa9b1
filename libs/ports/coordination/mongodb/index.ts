export { MongoCoordination, openMongoCoordination, type MongoCoordinationOptions } from './mongo-coordination.js';
