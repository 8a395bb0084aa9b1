import { Module } from '@nestjs/common';
import { FilesController } from './files.controller.js';
import { GetFileContentHandler, GetFileHandler, ListFilesHandler } from './queries.js';
import { UploadFileHandler } from './upload.js';

/** Files of the OpenAI API: another view of dataset versions. */
@Module({
  controllers: [FilesController],
  providers: [UploadFileHandler, GetFileHandler, ListFilesHandler, GetFileContentHandler],
})
export class FilesModule {}
