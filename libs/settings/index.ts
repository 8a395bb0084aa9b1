export { objectStoreAddress, type BusAddress } from './addresses.js';
export * from './read.js';
export * from './settings.js';
export * from './table.js';
export { SettingsError, type CorsOrigins, type LogLevel } from './values.js';
