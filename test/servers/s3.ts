import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { serverProgram } from './program.js';
import { goInstall } from './tools.js';

const VERSION = '1.8.0';
const BUCKET = 'anneal';
const REGION = 'us-east-1';

/** Credentials for clients' environments, as AWS's tools read them. The server listens on the loopback only. */
export const S3_CREDENTIALS = { AWS_ACCESS_KEY_ID: 'anneal', AWS_SECRET_ACCESS_KEY: 'anneal-on-the-loopback' } as const;

/**
 * An S3 server on a folder, with one bucket. It needs a file system with extended attributes: with its metadata in a folder of
 * their own (`--sidecar`) an object and its ETag are not replaced at once, and a guarded copy takes what it should refuse.
 */
export const s3 = serverProgram({
  name: `versitygw ${VERSION}`,
  key: `versitygw-${VERSION}`,
  tools: ['go'],
  build: (folder) => goInstall(`github.com/versity/versitygw/cmd/versitygw@v${VERSION}`, folder),
  async command(installed, { directory, port }) {
    const objects = join(directory, 'objects');
    await mkdir(objects, { recursive: true });
    return {
      file: join(installed, 'versitygw'),
      args: ['--port', `127.0.0.1:${port}`, '--region', REGION, 'posix', objects],
      environment: {
        ROOT_ACCESS_KEY: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
        ROOT_SECRET_KEY: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      },
    };
  },
  address: (port) => `s3://${BUCKET}?endpoint=${encodeURIComponent(endpoint(port))}&region=${REGION}`,
  async answers(port) {
    const client = new S3Client({
      endpoint: endpoint(port),
      region: REGION,
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: {
        accessKeyId: S3_CREDENTIALS.AWS_ACCESS_KEY_ID,
        secretAccessKey: S3_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
      },
    });
    try {
      await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'BucketAlreadyOwnedByYou') throw error;
    } finally {
      client.destroy();
    }
  },
});

const endpoint = (port: number): string => `http://127.0.0.1:${port}`;
