export { Hub, type HubRequest, type HubUpload, type Pushed } from './hub.js';
export { OWNED_REPO_ID, PART_NAME, REPO_ID, REVISION, TOKEN } from './names.js';
export type { HubFile } from './splits.js';
export { StoredBlob } from './stored-blob.js';
