import { Documents } from '#log/projector/documents.js';
import { signedThoughts, type SignedThoughtsDocument } from './projection.js';

export const signedThoughtsDocuments = new Documents<SignedThoughtsDocument>(signedThoughts);
