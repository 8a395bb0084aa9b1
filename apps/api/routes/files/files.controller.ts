import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { attachment } from '#ports/object-store/attachment.js';
import { ObjectTooLargeError } from '#ports/object-store/port.js';
import { CurrentCaller, Identity, ReadingNeeds } from '../../edge/auth/index.js';
import { DeleteVersion } from '#use-cases/datasets/commands/delete.js';
import { HttpError } from '../../edge/errors/index.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { StreamBody } from '../../edge/route-config.js';
import { readingBody } from '../../edge/body/streamed-body.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { DeletedFile, FileList, FileListQuery, FileObject, FileUploadForm } from './dto.js';
import { listPage } from './list-page.js';
import { boundaryOf } from './multipart.js';
import { GetFile, GetFileContent, ListFiles } from '#use-cases/files/queries.js';
import { fileRecord } from './record.js';
import { uploadParts } from './upload-form.js';
import { UploadFile } from '#use-cases/files/commands.js';
import { UseCases } from '#use-cases/use-cases.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';

@ApiTags('OpenAI: files and fine-tuning')
@ReadingNeeds('history')
@Controller('v1/files')
export class FilesController {
  constructor(private readonly useCases: UseCases) {}

  @Post()
  @StreamBody()
  @HttpCode(200)
  @ApiOperation({ summary: 'Uploads a file of training examples or batch requests; it becomes a dataset version' })
  @ApiConsumes('multipart/form-data')
  @ApiBody({ type: FileUploadForm })
  @ApiOkResponse({ type: FileObject })
  async upload(
    @Req() request: FastifyRequest,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<FileObject> {
    return readingBody(request, 'send the form as it is; the file in it may be gzipped', async (content) => {
      const parts = uploadParts(content, boundaryOf(sentType(request)));
      return fileRecord(await this.useCases.execute(new UploadFile(caller, identity, parts)).catch(orTooLarge));
    });
  }

  @Get()
  @ApiOperation({ summary: 'Lists files: every dataset version of the workspace' })
  @ApiOkResponse({ type: FileList })
  async list(@KnownQuery() query: FileListQuery, @CurrentCaller() caller: Caller): Promise<FileList> {
    const { files, hasMore } = await this.useCases.execute(new ListFiles(caller, query));
    return listPage(files.map(fileRecord), hasMore);
  }

  @Get(':id')
  @ApiOperation({ summary: 'One file' })
  @ApiOkResponse({ type: FileObject })
  async one(@Param('id') id: string, @CurrentCaller() caller: Caller): Promise<FileObject> {
    return fileRecord(await this.useCases.execute(new GetFile(caller, id)));
  }

  @Get(':id/content')
  @ReadsContent('file/{id}')
  @ApiOperation({ summary: 'The bytes of a file, as uploaded' })
  @ApiOkResponse({ content: { 'application/octet-stream': {} } })
  async content(@Param('id') id: string, @CurrentCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    const { content, size, fileName } = await this.useCases.execute(new GetFileContent(caller, id));
    await reply
      .header('content-type', 'application/octet-stream')
      .header('content-length', size)
      .header('content-disposition', attachment(fileName))
      .send(content);
  }

  @Delete(':id')
  @Reasoned()
  @ApiOperation({ summary: 'Deletes a file; 409 while a job uses it' })
  @MayNeedTwo()
  @ApiOkResponse({ type: DeletedFile })
  async remove(
    @Param('id') id: string,
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
  ): Promise<DeletedFile> {
    const { name, versionNumber: version } = await this.useCases.execute(new GetFile(caller, id));
    await this.useCases.execute(new DeleteVersion(caller, identity, { name, version }));
    return { id, object: 'file', deleted: true };
  }
}

/** The media type as it was sent: routes with a streamed body see another one. */
function sentType({ raw: { rawHeaders } }: FastifyRequest): string | undefined {
  const at = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-type');
  return at === -1 ? undefined : rawHeaders[at + 1];
}

/** @throws HttpError 413 for a file that is too large, else the error */
function orTooLarge(error: unknown): never {
  if (!(error instanceof ObjectTooLargeError)) throw error;
  throw new HttpError(413, `the file is larger than ${error.maxBytes} bytes, the maximum`, {
    code: 'request_too_large',
  });
}
