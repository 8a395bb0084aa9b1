export { encryptedObjects, type NamedKeys } from './encrypted-objects.js';
export { scopeOf } from './scopes.js';
