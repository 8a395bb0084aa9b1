import { Documents } from '#log/projector/documents.js';
import { feedback } from './projection.js';

export const feedbackDocuments = new Documents(feedback);
