import { Documents } from '#log/projector/documents.js';
import { cascades, type CascadeDocument } from './projection.js';

export const cascadeDocuments = new Documents<CascadeDocument>(cascades);
