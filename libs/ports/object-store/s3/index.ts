export { parseS3Address, type S3Location } from './address.js';
export { openS3ObjectStore, type S3ObjectStoreOptions } from './s3-object-store.js';
