export { fetchModelFile } from './fetch-file.js';
export { Hub, type HubModelFile, type HubRequest, type HubModelRequest } from './hub.js';
export { OWNED_REPO_ID, PART_NAME, REPO_ID, REVISION, TOKEN } from './names.js';
export { StoredBlob } from './stored-blob.js';
