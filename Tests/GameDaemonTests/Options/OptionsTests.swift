import Posix
import Testing
@testable import Console
@testable import GameDaemon
@testable import GameFlow
@testable import Posix

@Suite struct `The command line` {
    @Test func `The daemon without options listens at the default socket`() throws {
        let options = try Options(parsing: [])
        #expect(options.task == .serve)
        #expect(options.socketPath == DefaultPaths.socket)
    }

    @Test(arguments: [["--socket", "/tmp/a"], ["--socket=/tmp/a"]])
    func `An option's value follows a space or an equals sign`(words: [String]) throws {
        #expect(try Options(parsing: words).socketPath == "/tmp/a")
    }

    @Test(arguments: [
        (["--sokcet", "/tmp/a"], "unknown option '--sokcet'; did you mean '--socket'?"),
        (["--log-level", "debug"], "unknown option '--log-level'; available: --socket"),
        (["-h"], "unknown option '-h'; did you mean '--help'?"),
        (["help"], "'help' is no option; did you mean '--help'?"),
        (
            ["extra"],
            "unknown word 'extra'; gamed takes options, see --help, or one of test, replay, check, new-flow, schema, diagram as the first word; commands are"
        ),
        (["tset"], "unknown word 'tset'; did you mean 'test'?"),
        (
            ["--log", "debug", "test", "a.scenario"],
            "'test' must be the first word, and takes none of the daemon's options before it: gamed test [--flows DIR] [--verbose] FILE …"
        ),
        (
            ["--help", "Replay"],
            "'replay' must be the first word, and takes none of the daemon's options before it: gamed replay"
        ),
        ([""], "unknown word ''"),
        (["=x"], "unknown word '=x'"),
        (["--socket"], "--socket needs a value: --socket PATH"),
        (["--socket="], "--socket needs a value"),
        (["--help=yes"], "--help takes no value"),
    ])
    func `A command-line error is one line that names the wrong word`(words: [String], sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: words) }
        #expect(error?.description.hasPrefix(sentence) == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: ["http://venue.local", "venue.local:7650", "venue.local/", "two names", "b\u{FC}hne.local", "[::1]"])
    func `A name for browsers with a scheme or a port, or in another form than browsers send, is refused`(name: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--http-name", name]) }
        #expect(
            error?.description
                == "--http-name is a host name like venue.local, without scheme and port, and in ASCII, not '\(name)'")
    }

    @Test func `Each name for browsers is kept as it is given`() throws {
        let names = ["venue.local", "Stage-2", "192.168.1.5", "xn--bhne-0ra.local"]
        #expect(try Options(parsing: names.flatMap { ["--http-name", $0] }).web.names == names)
    }

    @Test func `An unknown option without a similar one is refused with the list of options`() {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--nonsense"]) }
        #expect(error?.description.hasPrefix("unknown option '--nonsense'; available: --socket, --listen, ") == true)
        #expect(error?.description.hasSuffix(", --version, --help") == true)
    }

    @Test func `A flow's problems are listed one per line`() {
        let problems = FlowProblems(flow: "lamp", sentences: ["one", "another"])
        #expect(Service.lines(of: problems) == ["the flow 'lamp' cannot be hosted:", "  one", "  another"])
    }

    @Test func `The help begins with the usage, and names every option`() {
        #expect(Options().help.hasPrefix("usage: gamed [options]\n"))
        for name in ["--socket PATH", "--version", "--help"] { #expect(Options().help.contains(name)) }
    }
}
