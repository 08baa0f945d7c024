import Testing
@testable import Cluster
@testable import GameDaemon
@testable import Posix
@testable import Store

@Suite struct `The options of a cluster` {
    private static let store = "postgres://gamed@db/gamed"

    @Test func `The option --store replaces the data directory and defaults to --durability always`() throws {
        let options = try Options(parsing: ["--store", Self.store])
        try options.checkCluster()
        #expect(options.cluster.store == Self.store)
        #expect(options.dataDirectory == nil)
        #expect(options.sharedDurability == .always)
        let nobody = Environment(value: { _ in nil }, names: [])
        let loose = try Configuration(
            ["--store", Self.store, "--durability", "everysec"], in: nobody, usually: "/nowhere/gamed.json5")
        #expect(loose.options.sharedDurability == .everysec)
    }

    @Test(arguments: [
        (["--time", "virtual"], "--store and --time virtual exclude each other"),
        (["--data", "/tmp/a"], "--store and --data exclude each other"),
        (["--durability", "none"], "--store requires --durability always or everysec"),
    ])
    func `The option --store is refused together with an option that contradicts it`(others: [String], sentence: String) throws
    {
        let options = try Options(parsing: ["--store", Self.store] + others)
        let error = #expect(throws: UsageError.self) { try options.checkCluster() }
        #expect(error?.description.hasPrefix(sentence) == true)
    }

    @Test(arguments: ["--advertise", "--advertise-http"]) func `An advertised address with port 0 is refused`(
        _ option: String
    ) {
        let error = #expect(throws: UsageError.self) {
            try Options(parsing: ["--store", "postgres://db/gamed", option, "venue-a:0"])
        }
        #expect(error?.description.hasSuffix("its port is one from 1 to 65535, and not 0") == true)
        #expect(error?.description.hasPrefix("\(option) is where others find this node, like venue-a:765") == true)
    }

    @Test(arguments: [["--advertise", "venue-a:7654"], ["--advertise-http", "venue-a:7650"], ["--shards", "256"]])
    func `A cluster option without --store is refused`(words: [String]) throws {
        let options = try Options(parsing: words)
        #expect(throws: UsageError.self) { try options.checkCluster() }
        #expect(throws: Never.self) { try Options(parsing: []).checkCluster() }
    }

    @Test(arguments: ["/var/lib/gamed", "mysql://db/gamed", "", "gamed@db", "postgres:/db"])
    func `The option --store accepts only addresses of PostgreSQL`(address: String) {
        let error = #expect(throws: UsageError.self) { try Options(parsing: ["--store", address, "--init"]) }
        #expect(error?.description.isEmpty == false)
    }

    @Test(arguments: ["0", "-1", "16385", "many", "", "1e3", "99999999999999999999"])
    func `An invalid number of --shards is refused`(number: String) {
        #expect(throws: UsageError.self) { try Options(parsing: ["--init", "--shards", number]) }
    }

    @Test(arguments: [
        ("postgres://gamed@db/gamed", "postgres://gamed@db/gamed"),
        ("postgres://gamed:secret@db:5432/gamed", "postgres://gamed:…@db:5432/gamed"),
        ("postgres://gamed:se:cr@et@db/gamed", "postgres://gamed:…@db/gamed"),
        ("postgres:///gamed?host=/run/pg&password=secret&user=gamed", "postgres:///gamed?host=/run/pg&password=…&user=gamed"),
        ("postgres://db/gamed?PASSWORD=secret", "postgres://db/gamed?password=…"),
        ("postgres://db/gamed?sslkey=/k&sslpassword=secret", "postgres://db/gamed?sslkey=/k&sslpassword=…"),
        ("postgres://gamed:se?cret@db/gamed?sslmode=require", "postgres://gamed:…@db/gamed?sslmode=require"),
        ("postgres://gamed:s?e@cr?et@db", "postgres://gamed:…@db"),
        ("postgres://gamed:se/cret@db/gamed", "postgres://gamed:…@db/gamed"),
        ("postgres://db/gamed?options=a@b", "postgres://db/gamed?options=a@b"),
        ("postgres://gamed@db?password=se@cret", "postgres://gamed@db?password=…"),
        ("no address", "no address"),
        ("host=db password='a secret' user=gamed", "host=db password=…"),
    ])
    func `A database address is shown without its password`(address: String, shown: String) {
        #expect(Options.hidden(address) == shown)
    }

    @Test(arguments: [
        (["--listen", "127.0.0.1:7654"], "127.0.0.1:7654"),
        (["--listen", "10.0.0.5:7654", "--listen", "127.0.0.1:7655"], "10.0.0.5:7654"),
        (["--listen", "[::1]:7654"], "::1:7654"),
        (["--listen", "10.0.0.5:7654", "--advertise", "venue-a:7000"], "venue-a:7000"),
        (["--listen", "0.0.0.0:7654"], "\(MachineName.own):7654"),
        (["--socket", "/run/b.sock"], "\(MachineName.own):/run/b.sock"),
    ])
    func `The advertised address is --advertise, or else the first --listen, or else the socket of this machine`(
        words: [String], address: String
    ) throws {
        #expect(try Options(parsing: words).advertised(port: nil).description == address)
    }

    @Test(
        arguments: [
            (["--listen", "10.0.0.5:7654"], "10.0.0.5:7650", "10.0.0.5:7650"),
            (["--listen", "10.0.0.5:7654"], "127.0.0.1:7650", nil),
            (["--listen", "10.0.0.5:7654", "--advertise", "venue-a:7654"], "0.0.0.0:7650", "venue-a:7650"),
            (["--listen", "0.0.0.0:7654"], "[::]:7650", "\(MachineName.own):7650"),
            (["--listen", "10.0.0.5:7654", "--advertise-http", "venue-a:80"], "127.0.0.1:7650", "venue-a:80"),
            (["--listen", "127.0.0.1:7654"], "127.0.0.1:7650", "127.0.0.1:7650"),
            (["--listen", "10.0.0.5:7654"], "[::1]:7650", nil),
            ([], "127.0.0.1:7650", "127.0.0.1:7650"),
        ] as [([String], String, String?)])
    func `The options give the page address for other nodes, or nil if only this machine reaches it`(
        words: [String], listening: String, address: String?
    ) throws {
        let place = try #require(HostAndPort(listening))
        #expect(try Options(parsing: words).advertisedPage(listening: place)?.description == address)
    }
}
