export { parseS3Address } from './address.js';
export { openS3ObjectStore, type S3ObjectStoreOptions } from './s3-object-store.js';
