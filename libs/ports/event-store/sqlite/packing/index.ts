export { Packer } from './packer.js';
export { Unpacker, type Unpacked } from './unpacker.js';
export { uuidBytes, uuidText } from './values.js';
