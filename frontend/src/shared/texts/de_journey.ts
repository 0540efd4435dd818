/** Words of the way through a study, in German: consent, parts, breaks, gates, feedback, stopping and every end. */

import type { journey as shape } from "./en_journey";

export const journey: typeof shape = {
  consent: {
    heading: "Bevor Sie beginnen",
    agree: "Ich stimme zu",
    decline: "Ich stimme nicht zu",
    contact: "Fragen? Kontakt:",
    ask: "Möchten Sie teilnehmen?",
    facts: {
      institution: "Wer die Studie durchführt",
      contact: "An wen Sie sich wenden können",
      ethics: "Ethikvotum",
      duration: "Wie lange es dauert",
      pay: "Was Sie dafür bekommen",
      storage: "Was mit Ihren Daten geschieht",
      withdrawal: "Wenn Sie aufhören möchten",
    },
    minutes: (n) => `Etwa ${n} Minuten.`,
    base: (amount) => `${amount} für die Teilnahme.`,
    bonusUpTo: (amount) => `Dazu kommt je nach Antworten ein Bonus von bis zu ${amount}.`,
    bonus: "Dazu kommt je nach Antworten ein Bonus.",
  },
  parts: {
    number: (n, of) => `Teil ${n} von ${of}`,
    titled: (n, of, title) => (of === 1 ? title : `Teil ${n} von ${of}: ${title}`),
    left: (minutes) =>
      minutes < 1
        ? "Noch weniger als eine Minute"
        : minutes === 1
          ? "Noch etwa eine Minute"
          : `Noch etwa ${minutes} Minuten`,
    size: (pages, minutes) =>
      `${pages === 1 ? "Eine Seite" : `${pages} Seiten`}, ${minutes < 1 ? "weniger als eine Minute" : minutes === 1 ? "etwa eine Minute" : `etwa ${minutes} Minuten`}.`,
    next: {
      practice: ["Als Nächstes: Übung", "Die Übung wird nicht gewertet."],
      learning: ["Als Nächstes: Beispiele", "Sehen Sie sich die Beispiele in Ruhe an. Hier wird nichts gewertet."],
      main: [
        "Ein neuer Teil beginnt",
        "Bitte lesen Sie die erste Seite genau: Ab jetzt können die Fragen anders sein.",
      ],
      other: ["Ein neuer Teil beginnt", "Bitte lesen Sie die nächste Seite genau."],
    },
    begin: "Diesen Teil beginnen",
    rest: "Erst eine Pause machen",
    breakHeading: "Sie machen gerade Pause",
    breakText: (minutes) =>
      `Die Zeit läuft nicht weiter. Lassen Sie diese Seite offen und kommen Sie innerhalb von ${minutes} Minuten zurück. So lange halten wir Ihren Platz frei.`,
    back: "Pause beenden",
  },
  gate: {
    tries: (n) =>
      n === 1
        ? "Sie haben einen Versuch."
        : `Sie haben ${n} Versuche. Wenn eine Antwort falsch ist, können Sie die Seiten noch einmal lesen.`,
    unlimited: "Sie können es so oft versuchen, wie Sie möchten.",
    wrong: "Ihre Antwort auf diese Frage war beim letzten Mal nicht richtig.",
    marked: (n) =>
      n === 1
        ? "Eine Antwort war nicht richtig. Die Frage ist unten markiert."
        : `${n} Antworten waren nicht richtig. Die Fragen sind unten markiert.`,
    missed: "Beim letzten Mal waren nicht alle Antworten richtig.",
    left: (n) =>
      n === 1 ? "Das ist Ihr letzter Versuch, nehmen Sie sich also Zeit." : `Sie haben noch ${n} Versuche.`,
    reread: (again) => `Mit dem Knopf „${again}“ oben können Sie die Anleitung noch einmal lesen.`,
  },
  again:
    "Bei den Verständnisfragen waren nicht alle Antworten richtig. Bitte lesen Sie dies noch einmal. Danach können Sie es wieder versuchen.",
  feedback: {
    heading: "Ihr Ergebnis",
    right: "Ihre Antwort ist richtig.",
    wrong: "Ihre Antwort ist nicht richtig.",
    lastRight: "Ihre letzte Antwort war richtig.",
    lastWrong: "Ihre letzte Antwort war nicht richtig.",
    next: "Weiter",
    answerWas: (text) => `Die richtige Antwort war: ${text}.`,
    share: (right, of) => `Im letzten Teil haben Sie ${right} von ${of} richtig beantwortet.`,
    of: (n, of) => `${n} von ${of}`,
    none: "nicht verfügbar",
  },
  debrief: {
    heading: "Worum es in dieser Studie ging",
    contact: "Fragen? Kontakt:",
    withdraw: (stop, finish) =>
      `Haben Sie es sich anders überlegt? Sie können Ihre Daten noch löschen lassen: Drücken Sie oben auf „${stop}“. Mit „${finish}“ endet die Studie, und Ihre Antworten bleiben erhalten.`,
    next: "Abschließen",
  },
  menu: {
    stop: "Aufhören",
    heading: "Möchten Sie aufhören?",
    text: "Sie können jederzeit ohne Angabe von Gründen aufhören. Sie können Ihre bisherigen Antworten behalten oder endgültig löschen.",
    stay: "Mit der Studie fortfahren",
    keep: "Aufhören und Antworten behalten",
    keepText:
      "Wenn Sie Ihre Antworten behalten, bleiben sie gespeichert, und wir dürfen sie verwenden. Sie erhalten einen Code, der zeigt, wie weit Sie gekommen sind.",
    erase: "Aufhören und Daten löschen",
    sureHeading: "Alles löschen, was Sie gesendet haben?",
    sureText:
      "Das lässt sich nicht rückgängig machen. Ihre Antworten werden gelöscht, und Sie können diese Studie nicht noch einmal beginnen.",
    sureAgain: "Das lässt sich nicht rückgängig machen. Ihre Antworten werden gelöscht.",
    surePay:
      "Sie erhalten keinen Abschlusscode, deshalb können wir Sie nicht bezahlen. Wenn Sie für den bisherigen Teil bezahlt werden möchten, wählen Sie „Aufhören und Antworten behalten“.",
    sure: "Ja, alles löschen",
    unsure: "Nein, zurück",
    failed: "Das hat nicht geklappt. Bitte prüfen Sie Ihre Verbindung und versuchen Sie es erneut.",
    guest: [
      "Sie können jederzeit aufhören: Schließen Sie einfach diese Seite.",
      "Sie haben nur mit einer Kennung weitergemacht. Sie beweist nicht, dass die ersten Antworten von Ihnen sind. Um Daten löschen zu lassen, nutzen Sie den Browser, in dem Sie begonnen haben, oder schreiben Sie den Personen, die die Studie durchführen.",
    ],
  },
  tabs: {
    heading: "Diese Studie ist in einem anderen Tab offen",
    text: "Sie können immer nur einen Tab benutzen. Ihre Antworten sind sicher.",
    here: "Hier fortfahren",
    moved: "Sie haben in einem anderen Tab weitergemacht",
    movedText: "Dieser Tab ist angehalten. Sie können ihn schließen oder hierher zurückkehren.",
    lost: "Einige Ihrer Antworten sind verloren gegangen",
    lostText:
      "Durch einen Fehler bei uns sind Ihre letzten Antworten verloren gegangen; das tut uns leid. Sie machen auf der letzten Seite weiter, die wir haben, und sehen einige Seiten noch einmal. Die Forschenden werden benachrichtigt.",
    lostAllText:
      "Durch einen Fehler bei uns sind Ihre Antworten verloren gegangen; das tut uns leid. Sie können noch einmal von vorne teilnehmen. Die Forschenden werden benachrichtigt. Wenn Sie eine Frage zu Ihrer Bezahlung haben, schreiben Sie ihnen bitte.",
  },
  preload: {
    heading: "Wird geladen",
    text: "Der nächste Teil wird geladen.",
    failed: (n) => (n === 1 ? "Eine Datei wurde nicht geladen." : `${n} Dateien wurden nicht geladen.`),
    go: "Trotzdem weiter",
  },
  still: {
    completedText: "Sie sind am Ende angelangt. Ihre Antworten bleiben auf diesem Computer, bis Sie sie senden.",
    withdrewText: "Danke für Ihre Zeit.",
    erasedText: "Es wurde nichts gesendet, und die Antworten auf diesem Computer sind gelöscht.",
    file: "Bitte speichern Sie Ihre Antworten als Datei. Senden Sie die Datei dann so, wie es in Ihrer Einladung steht.",
    save: "Meine Antworten speichern",
    saved:
      "Ihre Antworten sind jetzt eine Datei in Ihren Downloads. Bitte senden Sie sie so, wie es in Ihrer Einladung steht.",
    sending: "Ihre Antworten werden gesendet …",
    sent: "Ihre Antworten sind gesendet. Sie können dieses Fenster schließen.",
    failed:
      "Ihre Antworten konnten nicht gesendet werden. Versuchen Sie es noch einmal, oder speichern Sie sie als Datei und senden Sie diese so, wie es in Ihrer Einladung steht.",
    insecure:
      "Diese Studie funktioniert nur unter einer Adresse, die mit https beginnt. Bitte sagen Sie es der Person, die Sie eingeladen hat.",
  },
  ends: {
    completed: "Vielen Dank!",
    completedText: "Sie sind am Ende angekommen. Ihre Antworten sind gespeichert.",
    code: "Ihr Abschlusscode",
    copy: "Code kopieren",
    copied: "Kopiert",
    redirect: "Zurück zur Anmeldeseite",
    redirectText: "Bitte klicken Sie auf den Knopf, damit Ihre Teilnahme gezählt wird.",
    redirectEarly:
      "Bitte klicken Sie auf den Knopf, damit Ihre Teilnahme abgeschlossen wird. Das hat für Sie keine Nachteile.",
    screened_out: "Danke für Ihre Zeit",
    screenedWhy: "Einige der Verständnisfragen wurden nicht richtig beantwortet.",
    screenedBy: "Die Studie endet hier für Sie. Danke, dass Sie es versucht haben.",
    screenedText:
      "Die Studie endet hier für Sie. Sie haben nichts falsch gemacht: Wir suchen Personen, die diese Fragen auf eine bestimmte Weise beantwortet haben.",
    declined: "Kein Problem",
    declinedText: "Sie haben entschieden, nicht teilzunehmen.",
    close: "Sie können das Fenster schließen.",
    withdrew: "Sie haben aufgehört",
    withdrewText: "Danke für Ihre Zeit. Die bisher gesendeten Antworten bleiben erhalten.",
    erased: "Ihre Daten sind gelöscht",
    erasedText:
      "Alles, was Sie gesendet haben, wurde gelöscht. Wir behalten nur einen Vermerk, dass jemand aufgehört hat. Wenn jede Person nur einmal teilnehmen kann, behalten wir auch eine unlesbar gemachte Form Ihrer Kennung.",
    excluded: "Danke für Ihre Zeit",
    excludedText: "Die Studie endet hier für Sie.",
    abandoned: "Diese Sitzung ist abgelaufen",
    abandonedText: "Sie waren lange nicht da, deshalb haben wir Ihren Platz weitergegeben.",
    unnamed: "Dieser Link ist nicht vollständig",
    unnamedText:
      "Die Seite, auf der Sie ihn gefunden haben, hat Ihre Kennung nicht eingefügt. Bitte öffnen Sie die Studie von dort aus noch einmal, oder schreiben Sie den Forschenden.",
    advice: {
      prolific:
        "Bitte geben Sie Ihre Teilnahme bei Prolific zurück: Wählen Sie dort „Stop without completing“. Das hat für Sie keine Nachteile.",
      mturk: "Bitte geben Sie die Aufgabe bei Mechanical Turk zurück. Das hat für Sie keine Nachteile.",
      cloudresearch: "Bitte geben Sie die Studie bei CloudResearch zurück. Das hat für Sie keine Nachteile.",
      sona: "Bitte melden Sie sich in Sona ab oder schreiben Sie den Forschenden.",
    },
    refusals: {
      full: ["Alle Plätze sind vergeben", "Danke für Ihr Interesse. Die Studie hat genug Teilnehmende.", "unstarted"],
      link: [
        "Dieser Link öffnet die Studie nicht",
        "Bitte öffnen Sie die Studie mit Ihrem persönlichen Link, genau so, wie Sie ihn erhalten haben. Wenn das nicht hilft, schreiben Sie der Person, die ihn geschickt hat.",
        "later",
      ],
      erased: [
        "Sie haben Ihre Daten löschen lassen",
        "Sie haben schon einmal teilgenommen und Ihre Daten löschen lassen. An dieser Studie kann man nur einmal teilnehmen.",
        "erased",
      ],
      paused: [
        "Die Studie pausiert",
        "Im Moment kann niemand neu anfangen. Sie können später mit demselben Link wiederkommen.",
        "later",
      ],
      uninvited: [
        "Dieser Teil ist für Personen, die schon teilgenommen haben",
        "Nur wer den ersten Teil abgeschlossen hat, kann hier teilnehmen. Wenn Sie das getan haben, nutzen Sie bitte den Link aus Ihrer Einladung.",
        "unstarted",
      ],
      early: [
        "Dieser Teil ist für Sie noch nicht offen",
        "Nach dem ersten Teil muss etwas Zeit vergehen. Bitte kommen Sie später mit demselben Link wieder.",
        "later",
      ],
      late: [
        "Dieser Teil ist für Sie geschlossen",
        "Er war nach dem ersten Teil nur eine begrenzte Zeit offen. Danke, dass Sie wiedergekommen sind.",
        "unstarted",
      ],
      known: [
        "Mit dieser Kennung hat schon jemand teilgenommen",
        "Der Link beweist nicht, dass Sie das waren, deshalb zeigen wir hier nichts. Wenn Sie es waren, öffnen Sie den Link in dem Browser, in dem Sie begonnen haben: Dort können Sie weitermachen, Ihren Code sehen oder Ihre Daten löschen lassen. Wenn Sie ihn nicht mehr haben oder es nicht waren, schreiben Sie den Personen, die die Studie durchführen.",
        "known",
      ],
      repeat: [
        "Sie haben schon teilgenommen",
        "Sie haben an einer verwandten Studie teilgenommen. Jede Person kann nur einmal teilnehmen.",
        "unstarted",
      ],
    },
    copyData: "Eine Kopie Ihrer Daten herunterladen",
    copyFailed: "Das hat nicht geklappt. Bitte versuchen Sie es in einer Minute erneut.",
    contact: (contact) => `Kontakt: ${contact}`,
    goesOn: {
      locale: "de-DE",
      heading: "Dort weitermachen, wo diese Kennung aufgehört hat?",
      text: (when, page, percent) =>
        `Mit Ihrer Kennung wurde diese Studie am ${when} begonnen. Sie geht auf Seite ${page} weiter (${percent} % geschafft).`,
      notYou:
        "Wenn Sie das waren, können Sie weitermachen. Die Antworten von vorher sehen Sie nicht. Wenn Sie es nicht waren, schließen Sie diese Seite und sagen Sie es denen, die Sie eingeladen haben.",
      button: "Weitermachen",
    },
    notLater: "Wenn Sie nicht wiederkommen möchten:",
    otherwise: "Sonst:",
    unpaid: {
      known: "Was bezahlt wird, hängt von der begonnenen Sitzung ab, die diese Seite nicht zeigen kann.",
      unstarted: "Sie haben nicht angefangen und erhalten deshalb für diesen Besuch keine Bezahlung.",
      later: "Sie haben noch nicht angefangen, deshalb gibt es bisher keine Bezahlung.",
      erased: "Sie erhalten keine Bezahlung, weil wir nicht mehr wissen, was Sie getan haben.",
      partly: "Die Forschenden entscheiden, was sie für Ihren Teil bezahlen.",
      ended: "Sie erhalten keine Bezahlung.",
    },
    codeGoes: {
      along: "Der Knopf unten nimmt den Code mit. Kopieren Sie ihn für den Fall, dass der Knopf nicht funktioniert.",
      prolific: "Geben Sie ihn bei Prolific als Abschlusscode ein, damit Sie bezahlt werden können.",
      mturk: "Geben Sie ihn in der Aufgabe bei Mechanical Turk ein, damit Sie bezahlt werden können.",
      cloudresearch: "Geben Sie ihn bei CloudResearch ein, damit Sie bezahlt werden können.",
      sona: "Heben Sie ihn auf, falls die Forschenden danach fragen.",
      other:
        "Kopieren Sie ihn und geben Sie ihn dort ein, wo Sie sich angemeldet haben, oder schicken Sie ihn der Person, die Sie eingeladen hat. Er zeigt, dass Sie teilgenommen haben.",
    },
    pay: (amount) => `Sie erhalten ${amount}.`,
    bonus: (base, bonus, total) => `Sie erhalten ${base} und einen Bonus von ${bonus}: zusammen ${total}.`,
    error: "Bei uns ist etwas schiefgegangen",
    errorText: "Ihre Antworten sind auf diesem Computer sicher. Bitte versuchen Sie es gleich noch einmal.",
    unknownTask: "Diese Seite kann nicht angezeigt werden. Bitte schreiben Sie den Forschenden.",
  },
};
