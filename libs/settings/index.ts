export type { BusAddress } from './addresses.js';
export * from './read.js';
export * from './settings.js';
export * from './table.js';
export { API_KEY, EMAIL, MAX_PASSWORD_CHARACTERS, SHORTEST_PASSWORD, SettingsError } from './values.js';
export type { Durability, LogLevel } from './values.js';
