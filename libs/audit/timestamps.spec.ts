import { readFile } from 'node:fs/promises';
import { ContentInfo, SignedData, TimeStampResp } from 'pkijs';
import { openEgress, type Egress } from '#primitives/egress/index.js';
import { SmallAuthority } from './time-stamp-authority.fixture.js';
import { certificatesOf, requestTimestamp, verifyTimestamp } from './timestamps.js';

const NOTE = 'anneal/test\n7\nroot\n\n— anneal/test signature\n';

describe('time stamps of checkpoints', () => {
  let authority: SmallAuthority;
  let egress: Egress;
  beforeAll(async () => {
    authority = await SmallAuthority.start();
    egress = openEgress({ trusted: [new URL(authority.url).origin] });
  });
  afterAll(async () => {
    await egress.close();
    await authority.close();
  });

  const request = () => requestTimestamp(egress, authority.url, NOTE, AbortSignal.timeout(300_000));
  const trusted = async () => certificatesOf(await readFile(authority.certificates, 'utf8'));

  it('are asked for by RFC 3161, and hold by the certificate of the authority, as OpenSSL says too', async () => {
    const answer = await request();
    const stamp = await verifyTimestamp(answer, NOTE, await trusted());
    expect(stamp).toMatchObject({ by: 'CN=Small authority', isTrusted: true });
    expect(Math.abs(stamp.time.getTime() - Date.now())).toBeLessThan(3_600_000);
    expect(await authority.takes(answer, NOTE)).toBe(true);
    expect(await authority.takes(answer, `${NOTE}x`)).toBe(false);
  });

  it('do not hold for another checkpoint, after a change, or as trusted without that certificate', async () => {
    const answer = await request();
    await expect(verifyTimestamp(answer, `${NOTE}x`, [])).rejects.toThrow('of another checkpoint');
    const changed = Buffer.from(answer);
    // The last bytes are those of the signature.
    changed[changed.length - 5]! ^= 1;
    await expect(verifyTimestamp(changed, NOTE, [])).rejects.toThrow('does not fit');
    await expect(verifyTimestamp(answer.subarray(0, -40), NOTE, [])).rejects.toThrow('no time stamp');
    expect((await verifyTimestamp(answer, NOTE, [])).isTrusted).toBe(false);
    const another = await SmallAuthority.start();
    const theirs = certificatesOf(await readFile(another.certificates, 'utf8'));
    await another.close();
    expect((await verifyTimestamp(answer, NOTE, theirs)).isTrusted).toBe(false);
  });

  it('are not taken from an answer to another request, nor from anything else', async () => {
    const earlier = await request();
    authority.answer = () => earlier;
    await expect(request()).rejects.toThrow('of another request');
    authority.answer = () => Buffer.from('<html>');
    await expect(request()).rejects.toThrow('no time stamp');
    authority.answer = (reply) => reply;
    authority.status = 503;
    await expect(request()).rejects.toThrow('it answered 503');
    authority.status = 200;
  });

  it('are signed by a certificate that is for time stamps', async () => {
    const answer = await request();
    const response = TimeStampResp.fromBER(new Uint8Array(answer).buffer);
    const { encapContentInfo } = new SignedData({ schema: response.timeStampToken!.content as unknown });
    const token = await authority.signedByServer(Buffer.from(encapContentInfo.eContent!.getValue()));
    response.timeStampToken = ContentInfo.fromBER(new Uint8Array(token).buffer);
    const other = Buffer.from(response.toSchema().toBER());
    await expect(verifyTimestamp(other, NOTE, await trusted())).rejects.toThrow('not for time stamps');
  });

  it('are trusted by certificates in PEM', () => {
    expect(() => certificatesOf('nothing')).toThrow('no certificate');
    expect(() => certificatesOf('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')).toThrow(
      'cannot be read',
    );
  });
});
