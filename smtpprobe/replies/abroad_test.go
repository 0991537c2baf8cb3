package replies

import (
	"strings"
	"testing"
)

// TestNotAboutTheMailboxAbroad reads refusals in many languages that deny or
// lock something other than the mailbox. None proves a mailbox dead.
func TestNotAboutTheMailboxAbroad(t *testing.T) {
	checkClasses(t, map[string]Class{
		// the sender's address
		"550 Die Adresse des Senders existiert nicht":       Blocked,
		"550 Absendeadresse existiert nicht":                Blocked,
		"550 La dirección del emisor no existe":             Blocked,
		"550 La dirección de origen no existe":              Blocked,
		"550 O endereço do emissor não existe":              Blocked,
		"550 O endereço de origem não existe":               Blocked,
		"550 Adresse d'expédition inconnue":                 Blocked,
		"550 Adresse de retour invalide":                    Blocked,
		"550 Het adres van de verzender is onbekend":        Blocked,
		"550 Indirizzo di origine non valido":               Blocked,
		"550 Adres wysyłającego nie istnieje":               Blocked,
		"550 Adresa odosielateľa neexistuje":                Blocked,
		"550 Адрес для возврата не существует":              Blocked,
		"550 Адрес отправки не существует":                  Blocked,
		"550 Адреса відправника не існує":                   Blocked,
		"550 Подателят не съществува":                       Blocked,
		"550 Adresa pošiljatelja ne postoji":                Blocked,
		"550 Avsenderens adresse finnes ikke":               Blocked,
		"550 Afsenderens adresse findes ikke":               Blocked,
		"550 Lähettäjän osoitetta ei löydy":                 Blocked,
		"550 Ismeretlen feladó":                             Blocked,
		"550 Adresa expeditorului nu există":                Blocked,
		"550 Gönderen adresi bulunamadı":                    Blocked,
		"550 Gönderici adresi bulunamadı":                   Blocked,
		"550 Η διεύθυνση του αποστολέα δεν υπάρχει":         Blocked,
		"550 来源地址不存在":                                       Blocked,
		"550 发送方账号不存在":                                      Blocked,
		"550 发信账号已被禁用":                                      Blocked,
		"550 発信者のアドレスが見つかりません":                              Blocked,
		"550 リターンパスのアドレスが存在しません":                            Blocked,
		"550 보내는 사람의 주소가 존재하지 않습니다":                         Blocked,
		"550 송신자 주소를 찾을 수 없습니다":                             Blocked,
		"550 Fromアドレスが存在しません":                               Ambiguous,
		"550 Die Adresse im MAIL FROM existiert nicht":      Ambiguous,
		"550 Envelope-From Adresse unbekannt":               Ambiguous,
		"550 Empfänger unbekannt oder Sie nicht berechtigt": Ambiguous,
		// the client
		"550 Votre boîte n'existe pas":                 Blocked,
		"550 Ihr Benutzerkonto wurde gesperrt":         Blocked,
		"550 Su cuenta ha sido suspendida":             Blocked,
		"550 Sua conta está suspensa":                  Blocked,
		"550 Il tuo account è sospeso":                 Blocked,
		"550 Uw account is geblokkeerd":                Blocked,
		"550 Váš účet je zablokován":                   Blocked,
		"550 Din adress finns inte":                    Blocked,
		"550 Ваш почтовый ящик не существует":          Blocked,
		"550 Ваш ящик заблокирован":                    Blocked,
		"550 您的账号已被冻结":                                 Blocked,
		"550 あなたのアドレスは存在しません":                          Blocked,
		"550 귀하의 계정이 존재하지 않습니다":                        Blocked,
		"550 Adresse 192.0.2.10 unbekannt":             Ambiguous,
		"550 IP-adressen finns inte":                   Blocked,
		"550 Rechnername unbekannt, Adresse ungültig":  Ambiguous,
		"550 反向解析记录:地址不存在":                             Ambiguous,
		"550 Benutzername oder Passwort ungültig":      Ambiguous,
		"550 Usuario o contraseña no válidos":          Ambiguous,
		"550 用户名或密码无效":                                 Ambiguous,
		"550 5.2.1 サービスは利用できません。IPv6 を受け入れできません。":      Ambiguous,
		"550 5.1.1 Richtlinienverstoß":                 Ambiguous,
		"554 Acceso denegado: usuario desconocido":     Blocked,
		"550 Доступ запрещён, пользователь неизвестен": Blocked,
		// what the mailbox's owner wishes
		"550 Der Benutzer hat Sie gesperrt":                  Blocked,
		"550 Пользователь заблокировал вас":                  Blocked,
		"550 O usuário bloqueou seu endereço":                Blocked,
		"550 Le compte n'accepte pas vos messages, inconnus": Blocked,
		"550 受信者が受信を拒否しています。アドレスは存在しません":                     Blocked,
		"550 您已被收件人加入黑名单,地址无效":                               Blocked,
		"550 스팸, 사용자를 찾을 수 없습니다":                             Blocked,
		// what passes
		"550 Postfach vorübergehend nicht verfügbar":             Temporary,
		"550 Postfach nicht verfügbar":                           Ambiguous,
		"550 Compte temporairement suspendu":                     Temporary,
		"550 Cuenta suspendida temporalmente":                    Temporary,
		"550 Conta temporariamente bloqueada":                    Temporary,
		"550 Casella temporaneamente disabilitata":               Temporary,
		"550 Account tijdelijk geblokkeerd":                      Temporary,
		"550 Konto tymczasowo zablokowane":                       Temporary,
		"550 Účet je dočasně zablokován":                         Temporary,
		"550 Пользователь временно не найден":                    Temporary,
		"550 Konto midlertidigt lukket, kontoen er lukket":       Temporary,
		"550 Hesap geçici olarak askıya alınmış":                 Temporary,
		"550 一時的にユーザーが見つかりません":                                   Temporary,
		"550 アカウントは一時停止中です":                                      Temporary,
		"550 일시적으로 사용자를 찾을 수 없습니다":                               Temporary,
		"550 系统繁忙,用户不存在校验失败":                                     Temporary,
		"550 Erreur interne, utilisateur inconnu":                Temporary,
		"550 Erro interno: usuário não encontrado":               Temporary,
		"550 Внутренняя ошибка: пользователь не найден":          Temporary,
		"550 内部エラー: ユーザーが見つかりません":                                Temporary,
		"550 Erreur LDAP, utilisateur introuvable":               Temporary,
		"550 La base de datos no responde, usuario desconocido":  Temporary,
		"550 Пользователь не найден, база недоступна":            Temporary,
		"550 Utilisateur introuvable, réessayez plus tard":       Temporary,
		"550 Empfänger unbekannt, zur Zeit nicht zu ermitteln":   Temporary,
		"451 Серый список, попробуйте через 5 минут":             Greylisted,
		"550 灰名单,收件人不存在":                                         Greylisted,
		"550 Trop de connexions, destinataire inconnu":           RateLimited,
		"550 Превышено количество сообщений, ящик не существует": RateLimited,
		// the domain
		"550 Le domaine n'existe pas":                 NotOurDomain,
		"550 O domínio não existe":                    NotOurDomain,
		"550 Il dominio non esiste":                   NotOurDomain,
		"550 Домен не существует":                     NotOurDomain,
		"550 網域不存在":                                   NotOurDomain,
		"550 도메인이 존재하지 않습니다":                          NotOurDomain,
		"550 Relay no permitido, usuario desconocido": NotOurDomain,
		"550 Пересылка запрещена: получатель неизвестен": NotOurDomain,
	})
}

// TestDeadAbroad reads refusals that do prove a mailbox dead, also with
// articles joined to their nouns, in other scripts and in unusual words.
func TestDeadAbroad(t *testing.T) {
	checkClasses(t, map[string]Class{
		"550 L'utilisateur n'existe pas":                      NoSuchUser,
		"550 L’indirizzo di posta dell'utente non esiste":     NoSuchUser,
		"550 L'account richiesto non esiste":                  NoSuchUser,
		"550 Utente inesistente nel dominio example.com":      NoSuchUser,
		"550 Der Benutzer in dieser Domain existiert nicht":   NoSuchUser,
		"550 Podane konto nie istnieje / No mailbox (#5.1.1)": NoSuchUser,
		"550 该域名的用户不存在":                                       NoSuchUser,
		"550 查無此帳號":                                           NoSuchUser,
		"550 找不到该用户":                                          NoSuchUser,
		"550 指定されたアドレスは存在しません":                                NoSuchUser,
		"550 받는 사람을 찾을 수 없습니다":                                NoSuchUser,
		"550 Böyle bir kullanıcı yok":                         NoSuchUser,
		"550 Osoitetta ei löydy":                              NoSuchUser,
		"550 Непознат потребител":                             NoSuchUser,
		"550 Непознат корисник":                               NoSuchUser,
		"550 Uporabnik ne obstaja":                            NoSuchUser,
		"550 Такого користувача немає":                        NoSuchUser,
		"550 Destinatar necunoscut":                           NoSuchUser,
		"550 Skrzynka nieaktywna":                             Disabled,
		"550 Ваше письмо не доставлено: почтовый ящик не существует": NoSuchUser,
		"550 Почтовый ящик отключён":                                 Disabled,
		"550 信箱已停用":                                              Disabled,
		"550 휴면 계정입니다":                                           Disabled,
		"550 Le compte du destinataire est bloqué":               Disabled,
		"550 Nouvelle adresse du destinataire: neko@example.com": Moved,
		"552 Die Kapazität des Postfaches ist erschöpft":         MailboxFull,
		"550 帳戶不存在":                                              NoSuchUser,
		"552 信箱已滿":                                               MailboxFull,
		"552 收件者的容量已滿":                                           MailboxFull,
		"552 Przekroczono limit pojemności":                      MailboxFull,
		"552 Недостаточно места в ящике":                         MailboxFull,
		"552 사서함이 꽉 찼습니다":                                        MailboxFull,
		"552 Το γραμματοκιβώτιο είναι πλήρες":                    MailboxFull,
		"552 Căsuța poștală este plină":                          MailboxFull,
		"552 Скринька переповнена":                               MailboxFull,
		"552 A postafiók megtelt":                                MailboxFull,
	})
}

// TestBesidesTheMailbox checks that a denial in another language than English
// proves nothing where the text also mentions the client's host, an error or a
// password, not even with an enhanced status code.
func TestBesidesTheMailbox(t *testing.T) {
	noEnhanced := strings.NewReplacer("5.1.1 ", "", "5.2.1 ", "")
	for _, r := range DefaultClassifier().Rules() {
		if r.Language == "" || verdictOf(r.Class) != "undeliverable" {
			continue
		}
		for _, besides := range []string{" (192.0.2.10)", ", DNS"} {
			reply := noEnhanced.Replace(r.Samples[0]) + besides
			if got := readAtRCPT(t, reply); verdictOf(got.Class) != "unknown" {
				t.Errorf("%q read as %s by %s", reply, got.Class, got.Rule)
			}
		}
	}
	for _, besides := range []string{
		"IP", "IPs", "IPv6", "DNS", "MX", "Host", "Hostname", "Rechnername", "hôte", "mailfrom", "From", "Envelope", "resolution", "Rückwärtsauflösung",
		"Richtlinien", "politique", "política", "berechtigt", "autorisé", "autorizado", "permiso", "主机", "主機", "反向", "记录", "記錄", "ホスト", "호스트", "LDAP", "interner",
		"interne", "interno", "internal", "внутренний", "内部", "內部", "내부", "password", "Passwort", "Kennwort", "mot de passe", "contraseña", "senha",
		"wachtwoord", "hasło", "heslo", "пароль", "şifre", "密码", "密碼", "パスワード", "비밀번호",
	} {
		for _, reply := range []string{"550 Benutzer unbekannt, " + besides, "550 5.1.1 " + besides, "550 5.2.1 " + besides} {
			if got := readAtRCPT(t, reply); verdictOf(got.Class) != "unknown" {
				t.Errorf("%q read as %s by %s", reply, got.Class, got.Rule)
			}
		}
	}
}

// TestSomethingOfTheMailbox reads refusals in which something that belongs to a
// mailbox is unknown or invalid.
func TestSomethingOfTheMailbox(t *testing.T) {
	for _, something := range []string{
		"database", "backend", "quota", "file", "certificate", "cipher", "error", "count", "character", "characters", "parameter", "parameters", "argument", "option", "format",
		"syntax", "agent",
	} {
		for _, reply := range []string{"550 invalid recipient " + something, "550 5.1.1 unknown mailbox " + something} {
			if got := readAtRCPT(t, reply); verdictOf(got.Class) != "unknown" {
				t.Errorf("%q read as %s by %s", reply, got.Class, got.Rule)
			}
		}
	}
}
