/**
 * The Content-Disposition of an attachment (RFC 6266, with RFC 8187's extended form for names that are not plain
 * ASCII).
 */
export function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^A-Za-z0-9._ -]/g, '_');
  const extended = plain === fileName ? '' : `; filename*=UTF-8''${encodeURIComponent(fileName)}`;
  return `attachment; filename="${plain}"${extended}`;
}
