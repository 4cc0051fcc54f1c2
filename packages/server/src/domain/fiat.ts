/** ISO 4217, without codes better known as coins (MNT, ALL, TOP). */
const FIAT: ReadonlySet<string> = new Set(
  [
    'AED ARS AUD BHD BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GHS HKD HUF IDR ILS INR JPY KES KRW KWD KZT MXN MYR',
    'NGN NOK NZD PEN PHP PKR PLN QAR RON SAR SEK SGD THB TRY TWD UAH USD UZS VND ZAR',
  ].flatMap((codes) => codes.split(' ')),
)

/** Requires upper case. */
export function isFiat(symbol: string): boolean {
  return FIAT.has(symbol)
}
