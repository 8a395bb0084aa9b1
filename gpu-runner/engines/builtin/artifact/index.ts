export {
  canonicalJson,
  readAdapterArtifact,
  readBaseArtifact,
  writeArtifact,
  type AdapterArtifact,
  type BaseArtifact,
  type BaseReference,
  type LoadedArtifact,
} from './artifact.js';
export { readKeptRows, sizeOfKeptRows, writeKeptRows } from './kept-rows.js';
export { decodeSafetensors, encodeSafetensors } from './safetensors.js';
export { artifactVersion, engineName, trainerVersion } from './versions.js';
