import { NatsAddressError, parseNatsAddress } from './address.js';

describe('an address of NATS', () => {
  it('is a host, with defaults for the rest', () => {
    expect(parseNatsAddress('nats://broker')).toEqual({
      servers: ['broker:4222'],
      tls: null,
      login: null,
      credentialsFile: null,
      prefix: 'anneal',
      replicas: 1,
    });
  });

  it('may name several hosts, in either usual form', () => {
    const servers = ['a:4222', '10.0.0.1:4223', '[::1]:4224'];
    expect(parseNatsAddress('nats://a,10.0.0.1:4223,[::1]:4224').servers).toEqual(servers);
    expect(parseNatsAddress('nats://a:4222,nats://10.0.0.1:4223,nats://[::1]:4224/').servers).toEqual(servers);
  });

  it('may hold a user and password, percent-encoded, or a token', () => {
    expect(parseNatsAddress('nats://me:p%40ss:word@a').login).toEqual({ user: 'me', password: 'p@ss:word' });
    expect(parseNatsAddress('nats://s3cret@a').login).toEqual({ token: 's3cret' });
  });

  it('requires TLS with tls://, and may name files', () => {
    expect(parseNatsAddress('tls://a').tls).toEqual({});
    expect(parseNatsAddress('nats://a?tlsCaFile=/etc/ca.pem').tls).toEqual({ caFile: '/etc/ca.pem' });
    expect(parseNatsAddress('tls://a?tlsCertFile=c&tlsKeyFile=k').tls).toEqual({ certFile: 'c', keyFile: 'k' });
    expect(parseNatsAddress('nats://a?credentials=/run/me.creds').credentialsFile).toBe('/run/me.creds');
  });

  it('may set a prefix and the number of stream replicas', () => {
    expect(parseNatsAddress('nats://a?prefix=two&replicas=3')).toMatchObject({ prefix: 'two', replicas: 3 });
  });

  it.each([
    ['http://a', 'form'],
    ['nats://', 'form'],
    ['nats://a,,b', 'host'],
    ['nats://a:70000', 'port'],
    ['nats://a:b:c', 'host'],
    ['nats://:hidden@a', 'without a user'],
    ['nats://me:%zz-hidden@a', 'percent-encoding'],
    ['nats://me:hidden@a?prefx=b', 'prefx'],
    ['nats://me:hidden@a?prefix=a.b', 'prefix'],
    ['nats://me:hidden@a?prefix=', 'prefix'],
    ['nats://me:hidden@a?replicas=2', 'replicas'],
    ['nats://me:hidden@a?tlsCertFile=c', 'tlsKeyFile'],
  ])('%s is refused with a message that names the fault and shows no secret', (address, named) => {
    const parse = () => parseNatsAddress(address);
    expect(parse).toThrow(NatsAddressError);
    expect(parse).toThrow(named);
    expect(parse).not.toThrow('hidden');
  });
});
