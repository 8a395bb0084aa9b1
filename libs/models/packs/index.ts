export { packFolders, findPack, listPacks, readPack, type PackState } from './folders.js';
export { importPack, removePack } from './import.js';
export { KNOWN_PACKS, knownPack, MAX_PACK_TOKENS, PACK_FILES, type KnownPack, type PackFile } from './known-packs.js';
export { PackError } from './pack-error.js';
export { pullPack } from './pull.js';
export { manifestOf } from './manifest.js';
