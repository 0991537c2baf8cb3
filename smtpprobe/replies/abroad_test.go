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
		"550 Die Adresse des Senders existiert nicht":       ClassBlocked,
		"550 Absendeadresse existiert nicht":                ClassBlocked,
		"550 La dirección del emisor no existe":             ClassBlocked,
		"550 La dirección de origen no existe":              ClassBlocked,
		"550 O endereço do emissor não existe":              ClassBlocked,
		"550 O endereço de origem não existe":               ClassBlocked,
		"550 Adresse d'expédition inconnue":                 ClassBlocked,
		"550 Adresse de retour invalide":                    ClassBlocked,
		"550 Het adres van de verzender is onbekend":        ClassBlocked,
		"550 Indirizzo di origine non valido":               ClassBlocked,
		"550 Adres wysyłającego nie istnieje":               ClassBlocked,
		"550 Adresa odosielateľa neexistuje":                ClassBlocked,
		"550 Адрес для возврата не существует":              ClassBlocked,
		"550 Адрес отправки не существует":                  ClassBlocked,
		"550 Адреса відправника не існує":                   ClassBlocked,
		"550 Подателят не съществува":                       ClassBlocked,
		"550 Adresa pošiljatelja ne postoji":                ClassBlocked,
		"550 Avsenderens adresse finnes ikke":               ClassBlocked,
		"550 Afsenderens adresse findes ikke":               ClassBlocked,
		"550 Lähettäjän osoitetta ei löydy":                 ClassBlocked,
		"550 Ismeretlen feladó":                             ClassBlocked,
		"550 Adresa expeditorului nu există":                ClassBlocked,
		"550 Gönderen adresi bulunamadı":                    ClassBlocked,
		"550 Gönderici adresi bulunamadı":                   ClassBlocked,
		"550 Η διεύθυνση του αποστολέα δεν υπάρχει":         ClassBlocked,
		"550 来源地址不存在":                                       ClassBlocked,
		"550 发送方账号不存在":                                      ClassBlocked,
		"550 发信账号已被禁用":                                      ClassBlocked,
		"550 発信者のアドレスが見つかりません":                              ClassBlocked,
		"550 リターンパスのアドレスが存在しません":                            ClassBlocked,
		"550 보내는 사람의 주소가 존재하지 않습니다":                         ClassBlocked,
		"550 송신자 주소를 찾을 수 없습니다":                             ClassBlocked,
		"550 Fromアドレスが存在しません":                               ClassAmbiguous,
		"550 Die Adresse im MAIL FROM existiert nicht":      ClassAmbiguous,
		"550 Envelope-From Adresse unbekannt":               ClassAmbiguous,
		"550 Empfänger unbekannt oder Sie nicht berechtigt": ClassAmbiguous,
		// the client
		"550 Votre boîte n'existe pas":                 ClassBlocked,
		"550 Ihr Benutzerkonto wurde gesperrt":         ClassBlocked,
		"550 Su cuenta ha sido suspendida":             ClassBlocked,
		"550 Sua conta está suspensa":                  ClassBlocked,
		"550 Il tuo account è sospeso":                 ClassBlocked,
		"550 Uw account is geblokkeerd":                ClassBlocked,
		"550 Váš účet je zablokován":                   ClassBlocked,
		"550 Din adress finns inte":                    ClassBlocked,
		"550 Ваш почтовый ящик не существует":          ClassBlocked,
		"550 Ваш ящик заблокирован":                    ClassBlocked,
		"550 您的账号已被冻结":                                 ClassBlocked,
		"550 あなたのアドレスは存在しません":                          ClassBlocked,
		"550 귀하의 계정이 존재하지 않습니다":                        ClassBlocked,
		"550 Adresse 192.0.2.10 unbekannt":             ClassAmbiguous,
		"550 IP-adressen finns inte":                   ClassBlocked,
		"550 Rechnername unbekannt, Adresse ungültig":  ClassAmbiguous,
		"550 反向解析记录:地址不存在":                             ClassAmbiguous,
		"550 Benutzername oder Passwort ungültig":      ClassAmbiguous,
		"550 Usuario o contraseña no válidos":          ClassAmbiguous,
		"550 用户名或密码无效":                                 ClassAmbiguous,
		"550 5.2.1 サービスは利用できません。IPv6 を受け入れできません。":      ClassAmbiguous,
		"550 5.1.1 Richtlinienverstoß":                 ClassAmbiguous,
		"554 Acceso denegado: usuario desconocido":     ClassBlocked,
		"550 Доступ запрещён, пользователь неизвестен": ClassBlocked,
		// what the mailbox's owner wishes
		"550 Der Benutzer hat Sie gesperrt":                  ClassBlocked,
		"550 Пользователь заблокировал вас":                  ClassBlocked,
		"550 O usuário bloqueou seu endereço":                ClassBlocked,
		"550 Le compte n'accepte pas vos messages, inconnus": ClassBlocked,
		"550 受信者が受信を拒否しています。アドレスは存在しません":                     ClassBlocked,
		"550 您已被收件人加入黑名单,地址无效":                               ClassBlocked,
		"550 스팸, 사용자를 찾을 수 없습니다":                             ClassBlocked,
		// what passes
		"550 Postfach vorübergehend nicht verfügbar":             ClassTemporary,
		"550 Postfach nicht verfügbar":                           ClassAmbiguous,
		"550 Compte temporairement suspendu":                     ClassTemporary,
		"550 Cuenta suspendida temporalmente":                    ClassTemporary,
		"550 Conta temporariamente bloqueada":                    ClassTemporary,
		"550 Casella temporaneamente disabilitata":               ClassTemporary,
		"550 Account tijdelijk geblokkeerd":                      ClassTemporary,
		"550 Konto tymczasowo zablokowane":                       ClassTemporary,
		"550 Účet je dočasně zablokován":                         ClassTemporary,
		"550 Пользователь временно не найден":                    ClassTemporary,
		"550 Konto midlertidigt lukket, kontoen er lukket":       ClassTemporary,
		"550 Hesap geçici olarak askıya alınmış":                 ClassTemporary,
		"550 一時的にユーザーが見つかりません":                                   ClassTemporary,
		"550 アカウントは一時停止中です":                                      ClassTemporary,
		"550 일시적으로 사용자를 찾을 수 없습니다":                               ClassTemporary,
		"550 系统繁忙,用户不存在校验失败":                                     ClassTemporary,
		"550 Erreur interne, utilisateur inconnu":                ClassTemporary,
		"550 Erro interno: usuário não encontrado":               ClassTemporary,
		"550 Внутренняя ошибка: пользователь не найден":          ClassTemporary,
		"550 内部エラー: ユーザーが見つかりません":                                ClassTemporary,
		"550 Erreur LDAP, utilisateur introuvable":               ClassTemporary,
		"550 La base de datos no responde, usuario desconocido":  ClassTemporary,
		"550 Пользователь не найден, база недоступна":            ClassTemporary,
		"550 Utilisateur introuvable, réessayez plus tard":       ClassTemporary,
		"550 Empfänger unbekannt, zur Zeit nicht zu ermitteln":   ClassTemporary,
		"451 Серый список, попробуйте через 5 минут":             ClassGreylisted,
		"550 灰名单,收件人不存在":                                         ClassGreylisted,
		"550 Trop de connexions, destinataire inconnu":           ClassRateLimited,
		"550 Превышено количество сообщений, ящик не существует": ClassRateLimited,
		// the domain
		"550 Le domaine n'existe pas":                 ClassNotOurDomain,
		"550 O domínio não existe":                    ClassNotOurDomain,
		"550 Il dominio non esiste":                   ClassNotOurDomain,
		"550 Домен не существует":                     ClassNotOurDomain,
		"550 網域不存在":                                   ClassNotOurDomain,
		"550 도메인이 존재하지 않습니다":                          ClassNotOurDomain,
		"550 Relay no permitido, usuario desconocido": ClassNotOurDomain,
		"550 Пересылка запрещена: получатель неизвестен": ClassNotOurDomain,
	})
}

// TestDeadAbroad reads refusals that do prove a mailbox dead, also with
// articles joined to their nouns, in other scripts and in unusual words.
func TestDeadAbroad(t *testing.T) {
	checkClasses(t, map[string]Class{
		"550 L'utilisateur n'existe pas":                      ClassNoSuchUser,
		"550 L’indirizzo di posta dell'utente non esiste":     ClassNoSuchUser,
		"550 L'account richiesto non esiste":                  ClassNoSuchUser,
		"550 Utente inesistente nel dominio example.com":      ClassNoSuchUser,
		"550 Der Benutzer in dieser Domain existiert nicht":   ClassNoSuchUser,
		"550 Podane konto nie istnieje / No mailbox (#5.1.1)": ClassNoSuchUser,
		"550 该域名的用户不存在":                                       ClassNoSuchUser,
		"550 查無此帳號":                                           ClassNoSuchUser,
		"550 找不到该用户":                                          ClassNoSuchUser,
		"550 指定されたアドレスは存在しません":                                ClassNoSuchUser,
		"550 받는 사람을 찾을 수 없습니다":                                ClassNoSuchUser,
		"550 Böyle bir kullanıcı yok":                         ClassNoSuchUser,
		"550 Osoitetta ei löydy":                              ClassNoSuchUser,
		"550 Непознат потребител":                             ClassNoSuchUser,
		"550 Непознат корисник":                               ClassNoSuchUser,
		"550 Uporabnik ne obstaja":                            ClassNoSuchUser,
		"550 Такого користувача немає":                        ClassNoSuchUser,
		"550 Destinatar necunoscut":                           ClassNoSuchUser,
		"550 Skrzynka nieaktywna":                             ClassDisabled,
		"550 Ваше письмо не доставлено: почтовый ящик не существует": ClassNoSuchUser,
		"550 Почтовый ящик отключён":                                 ClassDisabled,
		"550 信箱已停用":                                              ClassDisabled,
		"550 휴면 계정입니다":                                           ClassDisabled,
		"550 Le compte du destinataire est bloqué":               ClassDisabled,
		"550 Nouvelle adresse du destinataire: neko@example.com": ClassMoved,
		"552 Die Kapazität des Postfaches ist erschöpft":         ClassMailboxFull,
		"550 帳戶不存在":                                              ClassNoSuchUser,
		"552 信箱已滿":                                               ClassMailboxFull,
		"552 收件者的容量已滿":                                           ClassMailboxFull,
		"552 Przekroczono limit pojemności":                      ClassMailboxFull,
		"552 Недостаточно места в ящике":                         ClassMailboxFull,
		"552 사서함이 꽉 찼습니다":                                        ClassMailboxFull,
		"552 Το γραμματοκιβώτιο είναι πλήρες":                    ClassMailboxFull,
		"552 Căsuța poștală este plină":                          ClassMailboxFull,
		"552 Скринька переповнена":                               ClassMailboxFull,
		"552 A postafiók megtelt":                                ClassMailboxFull,
	})
}

// TestBesidesTheMailbox checks that a denial in another language than English
// proves nothing where the text also mentions the client's host, an error or a
// password, not even with an enhanced status code.
func TestBesidesTheMailbox(t *testing.T) {
	noEnhanced := strings.NewReplacer("5.1.1 ", "", "5.2.1 ", "")
	for _, r := range DefaultClassifier().rules().ordered {
		if r.language == "" || verdictOf(r.class) != "undeliverable" {
			continue
		}
		for _, besides := range []string{" (192.0.2.10)", ", DNS"} {
			reply := noEnhanced.Replace(r.samples[0]) + besides
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
