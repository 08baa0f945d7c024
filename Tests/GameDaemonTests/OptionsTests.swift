import Installation
import Testing
@testable import Console
@testable import GameDaemon
@testable import Posix

@Suite struct `The command line` {
    @Test func `with nothing said, the daemon serves where its clients look`() throws {
        let options = try Options(parsing: [])
        #expect(options.task == .serve)
        #expect(options.socketPath == DefaultPaths.socket)
    }

    @Test(arguments: [["--socket", "/tmp/a"], ["--socket=/tmp/a"]])
    func `takes a value behind a space or an equals sign`(words: [String]) throws {
        #expect(try Options(parsing: words).socketPath == "/tmp/a")
    }

    @Test(arguments: [
        (["--sokcet", "/tmp/a"], "unknown option '--sokcet'; there are --socket"),
        (["extra"], "unknown option 'extra'"),
        ([""], "unknown option ''"),
        (["=x"], "unknown option '=x'"),
        (["--socket"], "--socket needs a value: --socket PATH"),
        (["--socket="], "--socket needs a value"),
        (["--help=yes"], "--help takes no value"),
    ])
    func `says in one line what it cannot follow`(words: [String], sentence: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: words) }
        #expect(error?.description.hasPrefix(sentence) == true)
        #expect(error?.description.contains("\n") == false)
    }

    @Test func `the help names every option`() {
        for name in ["--socket PATH", "--version", "--help"] { #expect(Options().help.contains(name)) }
    }
}
