import { UploadFileHandler } from './commands.js';
import { GetFileContentHandler, GetFileHandler, ListFilesHandler } from './queries.js';

export const FILES = [GetFileContentHandler, GetFileHandler, ListFilesHandler, UploadFileHandler];
