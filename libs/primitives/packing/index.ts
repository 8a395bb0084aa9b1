export { Packer } from './packer.js';
export { Unpacker } from './unpacker.js';
export { uuidBytes, uuidText } from './values.js';
