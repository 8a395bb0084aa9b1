import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { TOKEN_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { untilClientGone } from '../../edge/client-gone.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { InProcessRoute, SentBody } from '../../edge/in-process.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { incoming } from '../shared/incoming.js';
import { decodeEmbeddings } from './decode.js';
import { EmbeddingsBody, EmbeddingsResponse } from './dto.js';
import { encodeEmbeddings } from './encode.js';
import { EmbeddingsService } from './service.js';

@ApiTags('OpenAI-compatible')
@ReadingNeeds('history')
@Controller()
export class EmbeddingsController implements InProcessRoute {
  constructor(private readonly embeddings: EmbeddingsService) {}

  @Post('v1/embeddings')
  @BodyLimit(TOKEN_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Turns texts into embedding vectors, in the format of the OpenAI API' })
  @ApiBody({ type: EmbeddingsBody })
  @ApiOkResponse({ type: EmbeddingsResponse })
  async run(@Req() http: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const answer = await untilClientGone(http, (signal) => this.whole(incoming(http, undefined, signal)));
    void reply.type('application/json; charset=utf-8').send(answer);
  }

  async whole(from: SentBody): Promise<object> {
    const request = decodeEmbeddings(from.sent);
    return encodeEmbeddings(await this.embeddings.run({ ...from, request }), request.encodingFormat);
  }
}
