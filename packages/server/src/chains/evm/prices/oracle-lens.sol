// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/**
 * The price of HyperCore's validators for what a perpetual is about, by HyperEVM's read precompiles, which take bare
 * arguments and burn all gas of a call that they refuse. It is never deployed: its runtime code travels with the call.
 */
contract OracleLens {
    struct PerpFacts {
        string coin;
        uint32 marginTable;
        uint8 sizeDecimals;
        uint8 maxLeverage;
        bool onlyIsolated;
    }

    uint160 private constant ORACLE_PRICE = 0x807;
    uint160 private constant PERP_FACTS = 0x80a;
    /// More than an answer costs.
    uint256 private constant WORDS_GAS = 50_000;

    /// usd: with 6 digits less those of sizes.
    function price(uint32 perp) external view returns (string memory coin, uint8 sizeDecimals, uint64 usd) {
        PerpFacts memory facts = abi.decode(ask(PERP_FACTS, perp), (PerpFacts));
        (coin, sizeDecimals) = (facts.coin, facts.sizeDecimals);
        usd = abi.decode(ask(ORACLE_PRICE, perp), (uint64));
    }

    /// Where there is no precompile, a call passes and answers nothing.
    function ask(uint160 precompile, uint32 perp) private view returns (bytes memory) {
        (bool ok, bytes memory answer) = address(precompile).staticcall{gas: WORDS_GAS}(abi.encode(perp));
        require(ok && answer.length > 0, "refused");
        return answer;
    }
}
