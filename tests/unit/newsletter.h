/* A typical newsletter: two texts, an attachment, a picture, and links. */
#ifndef NEWSLETTER_H
#define NEWSLETTER_H

#define NEWSLETTER                                                                                 \
	"From: News <news@shop.example>\r\n"                                                       \
	"MIME-Version: 1.0\r\n"                                                                    \
	"Content-Type: multipart/mixed; boundary=mixed\r\n"                                        \
	"\r\n"                                                                                     \
	"--mixed\r\n"                                                                              \
	"Content-Type: multipart/alternative; boundary=alternative\r\n"                            \
	"\r\n"                                                                                     \
	"--alternative\r\n"                                                                        \
	"Content-Type: text/plain; charset=utf-8\r\n"                                              \
	"Content-Transfer-Encoding: quoted-printable\r\n"                                          \
	"\r\n"                                                                                     \
	"Read https://www.shop.example/a=20b or write.\r\n"                                        \
	"--alternative\r\n"                                                                        \
	"Content-Type: TEXT/HTML\r\n"                                                              \
	"\r\n"                                                                                     \
	"<!DOCTYPE html PUBLIC \"x\" \"http://www.w3.org/TR/html4/loose.dtd\">"                    \
	"<a href=\"https://user@Click.Shop.Example:8443/1\">http://elsewhere.example</a>"          \
	"<img src='http://pixel.tracker.example/o.gif'>"                                           \
	"<td style=\"background:url( http://192.0.2.7/b.png )\">"                                  \
	"<a href = http://xn--mller-kva.example>M</a><a href=\"http://m\xc3\xbcller.example/\">"   \
	"\r\n"                                                                                     \
	"--alternative--\r\n"                                                                      \
	"--mixed\r\n"                                                                              \
	"Content-Type: application/pdf; name=\"offer.pdf\"\r\n"                                    \
	"Content-Transfer-Encoding: base64\r\n"                                                    \
	"\r\n"                                                                                     \
	"JVBERi0xLjQK\r\n"                                                                         \
	"--mixed\r\n"                                                                              \
	"Content-Type: image/png\r\n"                                                              \
	"\r\n"                                                                                     \
	"png\r\n"                                                                                  \
	"--mixed--\r\n"

#endif
