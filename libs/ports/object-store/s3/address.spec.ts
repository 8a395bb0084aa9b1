import { openS3ObjectStore, parseS3Address } from './index.js';

describe('the address of an S3 bucket', () => {
  it('names bucket, prefix and server', () => {
    const address =
      's3://bucket/some/prefix/?endpoint=http://127.0.0.1:7070/&publicEndpoint=https://files.example.org&region=eu-west-1';
    expect(parseS3Address(address)).toEqual({
      bucket: 'bucket',
      prefix: 'some/prefix/',
      endpoint: 'http://127.0.0.1:7070',
      publicEndpoint: 'https://files.example.org',
      region: 'eu-west-1',
      pathStyle: true,
    });
  });

  it('may be AWS itself, with virtual-hosted names and the region from the environment', () => {
    expect(parseS3Address('s3://bucket')).toEqual({
      bucket: 'bucket',
      prefix: '',
      endpoint: null,
      publicEndpoint: null,
      region: null,
      pathStyle: false,
    });
    expect(parseS3Address('s3://bucket?endpoint=https://s3.example.org')).toMatchObject({
      region: 'us-east-1',
      pathStyle: true,
    });
    expect(parseS3Address('s3://bucket?endpoint=https://s3.example.org&pathStyle=false&region=')).toMatchObject({
      region: 'us-east-1',
      pathStyle: false,
    });
  });

  it.each([
    ['http://bucket', /begin with s3/],
    ['s3://', /bucket/],
    ['s3://ab', /bucket.*3 to 63/],
    ['s3://bucket:9000/x', /port.*endpoint/],
    ['s3://KEY:secret@bucket', /credentials.*AWS_ACCESS_KEY_ID/],
    ['s3://bucket/a//b', /prefix/],
    ['s3://bucket/a%20b', /prefix/],
    ['s3://bucket?endpoint=127.0.0.1:7070', /endpoint is not an address/],
    ['s3://bucket?endpoint=ftp://x', /endpoint is not an address/],
    ['s3://bucket?publicEndpoint=x', /publicEndpoint is not an address/],
    ['s3://bucket?endpoint=http://KEY:secret@h', /endpoint holds credentials/],
    ['s3://bucket?endpoint=http://h?x=1', /endpoint has a query/],
    ['s3://bucket?pathStyle=yes', /pathStyle must be true or false/],
    ['s3://bucket?secretKey=secret', /unknown parameter "secretKey"/],
  ])('%s is refused with the fault and no secret', (address, message) => {
    const refused = () => parseS3Address(address);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(message);
    expect(refused).not.toThrow(/secret[^K]/);
  });

  it('is refused at once when opened', async () => {
    await expect(openS3ObjectStore('s3://')).rejects.toThrow(TypeError);
  });
});
