import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  UploadPartCopyCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import { COPY_MS } from './clients.js';

/** The most that one CopyObject takes: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html */
const COPY_AT_ONCE_BYTES = 5 * 1024 ** 3;

interface Copy {
  readonly client: S3Client;
  readonly bucket: string;
  readonly from: string;
  readonly to: string;
  /** ETag of the source: another version is not copied. */
  readonly etag: string;
  readonly size: number;
  /** Bytes per request; default: the protocol's maximum. */
  readonly atOnceBytes?: number;
}

/**
 * Copies within the server.
 * @returns the sha256 of the copy, in hex, if the server reports it; null if it has to be read
 */
export async function copyObject(copy: Copy): Promise<string | null> {
  const { client, bucket, from, to, etag, size, atOnceBytes = COPY_AT_ONCE_BYTES } = copy;
  if (size > atOnceBytes) return copyInParts(copy, atOnceBytes);
  const command = new CopyObjectCommand({
    Bucket: bucket,
    Key: to,
    CopySource: `${bucket}/${from}`,
    CopySourceIfMatch: etag,
    ChecksumAlgorithm: 'SHA256',
  });
  const { CopyObjectResult } = await client.send(command, { requestTimeout: COPY_MS, ...deadline() });
  return wholeSha256(CopyObjectResult?.ChecksumSHA256);
}

async function copyInParts(copy: Copy, partBytes: number): Promise<null> {
  const { client, bucket, from, to, etag, size } = copy;
  const target = { Bucket: bucket, Key: to };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target), deadline());
  try {
    const parts: CompletedPart[] = [];
    for (let start = 0; start < size; start += partBytes) {
      const PartNumber = parts.length + 1;
      const command = new UploadPartCopyCommand({
        ...target,
        UploadId,
        PartNumber,
        CopySource: `${bucket}/${from}`,
        CopySourceIfMatch: etag,
        CopySourceRange: `bytes=${start}-${Math.min(start + partBytes, size) - 1}`,
      });
      const { CopyPartResult } = await client.send(command, { requestTimeout: COPY_MS, ...deadline() });
      parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
    }
    const completed = { ...target, UploadId, MultipartUpload: { Parts: parts } };
    await client.send(new CompleteMultipartUploadCommand(completed), { requestTimeout: COPY_MS, ...deadline() });
    return null;
  } catch (error) {
    await client.send(new AbortMultipartUploadCommand({ ...target, UploadId }), deadline()).catch(() => undefined);
    throw error;
  }
}

const deadline = () => ({ abortSignal: AbortSignal.timeout(COPY_MS) });

/** Base64 of 32 bytes. A multipart object's checksum has another form, which ends in the number of parts. */
function wholeSha256(base64: string | undefined): string | null {
  const bytes = Buffer.from(base64 ?? '', 'base64');
  return base64?.includes('-') || bytes.byteLength !== 32 ? null : bytes.toString('hex');
}
