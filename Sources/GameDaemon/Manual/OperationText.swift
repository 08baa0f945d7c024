// The sections of gamed(8) about operation: a function for each.

import Texts

extension ManualPage {
    static func addOperation(to page: inout Roff) {
        addConfiguration(to: &page)
        addAccess(to: &page)
        addConsole(to: &page)
        addSignals(to: &page)
        addEnvironment(to: &page)
        addFiles(to: &page)
    }

    private static func addConfiguration(to page: inout Roff) {
        page.section("Configuration")
        page.paragraph(
            "Each option but those that do something instead of serving is a setting, and can stand in the configuration file as well: "
                + "\(Options.usualConfiguration), or what --config names. It is one object in JSON5, with the option's name without "
                + "its dashes as the key: true or false for a flag, a text, a list of texts for what may be given several times, and an "
                + "object for session and limit. The file that is installed has every setting at its default, behind slashes. "
                + "The environment comes before the file, and the command line before both; a value of several is replaced whole. "
                + "gamed --check tells all mistakes with file, line and column, also beside a daemon that runs; "
                + "gamectl config shows what is in force, and where it comes from.")
        page.example([
            "{", "  listen: [\"127.0.0.1:7654\"],", "  \"token-file\": \"token\",   // beside this file", "  flows: \"flows\",",
            "  session: { main: \"game\" },", "  limit: { connections: 500 },", "}",
        ])
    }

    private static func addAccess(to page: inout Roff) {
        page.section("Access")
        page.paragraph(
            "On the UNIX socket, gamed checks who connects: the user who runs it, root, and whom --allow-user and --allow-group name, each with a "
                + "role: read, play, orchestrator or master, which it is where none follows. The socket's file is given to the group; "
                + "several groups, and users, get an access list.")
        page.paragraph(
            "Over TCP and HTTP, clients send a token. gamectl token makes them, each with a role, and with some sessions and a quota if "
                + "wanted; their file must belong to root or to the user who runs gamed, and others must not be able to read it. A "
                + "file whose first line is one secret alone is a master's. Without tokens, gamed does not listen on TCP, on loopback either, unless "
                + "--trust-loopback lets every user of the machine in as a guest, who may do everything with sessions and change "
                + "nothing of the daemon. Ten wrong tokens within a minute let an address wait.")
    }

    private static func addConsole(to page: inout Roff) {
        page.section("Console")
        page.paragraph(
            "With --console, a terminal shows a session: its screen, its running clocks, and its possible events, each with a "
                + "digit. Letters begin an event's name, with its payload if it has one: enter sends it, tab completes it, escape "
                + "and backspace take it back. Space pauses or resumes, tab shows the next session, escape lists them. q (with "
                + "enter where a name begins so), ctrl-c and ctrl-d stop gamed. Where there is no session, NEW main game begins "
                + "one. Log lines go above the picture; where lines are few, clocks and actions stay.")
        page.paragraph(
            "Through pipes, each line of input is an event and its payload, like chooseEpisode 3; @NAME shows another session, "
                + "and NEW name flow creates one. Every change, every refusal, and time that ran out is printed. gamed stops at the "
                + "end of its input.")
    }

    private static func addSignals(to page: inout Roff) {
        page.section("Signals")
        page.entry(
            "SIGTERM, SIGINT",
            "Accept no more connections, answer pending requests, and stop; a second signal stops it at once.")
        page.entry(
            "SIGHUP",
            "Read the configuration, the flow files, the token file and the device file again, as RELOAD does. The log's level, limits, users and groups "
                + "and what those files say change at once, and the log names other settings that need a restart. If anything is wrong, "
                + "everything stays as it was, and the log says why.")
    }

    private static func addEnvironment(to page: inout Roff) {
        page.section("Environment")
        page.entry(
            "GAMED_NAME",
            "The value of the option --name, where the command line does not give it: GAMED_LISTEN, GAMED_HTTP_OPEN. A flag is true or "
                + "false; several values are separated by blanks, with quotes around those that have some.")
        page.entry("GAMED_TOKEN", "The token, unless --token-file or GAMED_TOKEN_FILE name one.")
        page.entry(
            "JOURNAL_STREAM",
            "If it names standard error, systemd's journal gets the log: with levels, and with the fields SESSION, FLOW, EVENT and CODE, by which "
                + "journalctl finds lines. The link that logs in to the page is not printed then: gamectl page makes one.")
        page.entry(
            "NOTIFY_SOCKET, WATCHDOG_USEC",
            "Where systemd is told what the service is doing (Type=notify): that it is ready once all sessions are restored, that it reloads, "
                + "that it stops, and twice in each interval of the watchdog that its loop does not hang.")
        page.entry(
            "LISTEN_FDS, LISTEN_FDNAMES",
            "Sockets that systemd has opened, by the names of their units' FileDescriptorName=: gamed for the UNIX socket, tcp, and http for "
                + "the page. They take the place of --socket and --http, and are besides --listen; beyond loopback they need a token as those "
                + "do. Their files and modes stay as they are, and they go on listening while gamed restarts. A socket without a name goes by its family: a UNIX socket is for commands; so is a TCP "
                + "socket, unless --http has its port, whose page it is then.")
        page.entry(
            "RUNTIME_DIRECTORY, STATE_DIRECTORY", "The directories of the socket and of saved sessions, as systemd gives them.")
        page.entry("XDG_RUNTIME_DIR", "The directory of the socket's folder, if gamed is not run by root.")
    }

    private static func addFiles(to page: inout Roff) {
        page.section("Files")
        page.entry(Options.usualConfiguration, "The configuration.")
        page.entry(
            "/run/gamed/gamed.sock",
            "The socket if root runs gamed. For other users: $XDG_RUNTIME_DIR/gamed/gamed.sock, or else "
                + "/tmp/gamed-UID/gamed.sock.")
        page.entry("/usr/share/doc/gamed/docs", "The documents that this page names: docs/TLS.md is TLS.md there.")
        page.entry("/usr/share/gamed/monitoring", "Alerts for Prometheus, and a dashboard for Grafana.")
    }
}
