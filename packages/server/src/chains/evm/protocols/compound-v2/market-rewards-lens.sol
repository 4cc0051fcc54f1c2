// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/**
 * What Moonwell's distributor owes a wallet in markets. It is never deployed: its runtime code travels with the call.
 */
contract MarketRewardsLens {
    struct Reward {
        address token;
        uint256 amount;
    }

    struct Info {
        address token;
        uint256 total;
        uint256 supplySide;
        uint256 borrowSide;
    }

    /// A market asks four views and some ten slots for each token that it pays.
    uint256 private constant MARKET_GAS = 1_000_000;
    /// Of an answer: a list of this many tokens.
    uint256 private constant MOST_TOKENS = 16;

    /// Both sides of each market, token by token; `refused`: the markets that could not be asked.
    function outstanding(address distributor, address wallet, address[] calldata markets)
        external
        view
        returns (Reward[] memory rewards, address[] memory refused)
    {
        rewards = new Reward[](markets.length * MOST_TOKENS);
        refused = new address[](markets.length);
        uint256 found = 0;
        uint256 failed = 0;
        // It may be younger than the block.
        uint256 count = distributor.code.length == 0 ? 0 : markets.length;
        for (uint256 i = 0; i < count; i++) {
            try this.decode(ask(distributor, markets[i], wallet)) returns (Info[] memory infos) {
                for (uint256 j = 0; j < infos.length; j++) rewards[found++] = Reward(infos[j].token, infos[j].total);
            } catch {
                refused[failed++] = markets[i];
            }
        }
        assembly ("memory-safe") {
            mstore(rewards, found)
            mstore(refused, failed)
        }
    }

    function decode(bytes calldata answer) external pure returns (Info[] memory) {
        return abi.decode(answer, (Info[]));
    }

    /// Empty if it refused or said more than a list can be.
    function ask(address distributor, address market, address wallet) private view returns (bytes memory answer) {
        bytes memory data = abi.encodeWithSignature("getOutstandingRewardsForUser(address,address)", market, wallet);
        bool passed;
        uint256 size;
        assembly ("memory-safe") {
            passed := staticcall(MARKET_GAS, distributor, add(data, 32), mload(data), 0, 0)
            size := returndatasize()
        }
        if (!passed || size > 64 + MOST_TOKENS * 128) return answer;
        answer = new bytes(size);
        assembly ("memory-safe") {
            returndatacopy(add(answer, 32), 0, size)
        }
    }
}
