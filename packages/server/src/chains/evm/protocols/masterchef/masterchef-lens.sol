// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Token {
    function balanceOf(address owner) external view returns (uint256);
}

interface Rewarder {
    function pendingTokens(uint256 pid, address user, uint256 pending)
        external
        view
        returns (address[] memory tokens, uint256[] memory amounts);
}

/**
 * What a wallet has staked in pools of a chef, with its rewards, in one call. Each pool is brought up to date first, as a
 * claim does, in a frame that is undone: where the reward is staked too, one pool's reward would change another's. It is
 * never deployed: its runtime code travels with the call.
 */
contract MasterChefLens {
    struct Chef {
        address chef;
        address reward;
        // Who keeps the reward.
        address payer;
        // `pending…(uint256,address)`.
        bytes4 pending;
        // The pools' tokens are in a list of their own; otherwise they come first in `poolInfo`.
        bool hasList;
        bool hasRewarders;
        // Which word of `poolInfo` names a rewarder whose bonus the view tells beside the reward; zero if none does.
        uint256 bonusAt;
    }

    struct Reward {
        address token;
        uint256 amount;
    }

    struct Stake {
        uint256 pid;
        address token;
        uint256 amount;
        uint256 pending;
        // What the payer has more of the reward since the pool is up to date.
        uint256 minted;
        Reward[] more;
        // The rewarder could not be read.
        bool lacksRewards;
    }

    error Found(Stake one);

    uint256 private constant SELECTOR_BYTES = 4;
    uint256 private constant POOL_GAS = 2_000_000;
    uint256 private constant UPDATE_GAS = 600_000;
    uint256 private constant REWARDER_GAS = 400_000;
    uint256 private constant MOST_REWARDS = 8;

    /// kept: what the payer has of the reward before any of the pools is up to date. refused: pools that could not be read.
    function stakes(Chef calldata chef, address wallet, uint256[] calldata pids)
        external
        returns (Stake[] memory found, uint256 kept, uint256[] memory refused)
    {
        if (chef.chef.code.length == 0) return (found, kept, refused);
        found = new Stake[](pids.length);
        refused = new uint256[](pids.length);
        // Later chefs are paid by an older one. One without this function reverts.
        (bool isHarvested,) = chef.chef.call{gas: UPDATE_GAS}(abi.encodeWithSignature("harvestFromMasterChef()"));
        isHarvested;
        kept = Token(chef.reward).balanceOf(chef.payer);
        uint256 known = 0;
        uint256 unknown = 0;
        for (uint256 i = 0; i < pids.length; i++) {
            try this.undone{gas: POOL_GAS}(chef, wallet, pids[i], kept) {}
            catch (bytes memory answer) {
                if (answer.length > SELECTOR_BYTES && bytes4(answer) == Found.selector) {
                    Stake memory one = decoded(answer);
                    if (one.token != address(0)) found[known++] = one;
                } else {
                    refused[unknown++] = pids[i];
                }
            }
        }
        assembly ("memory-safe") {
            mstore(found, known)
            mstore(refused, unknown)
        }
    }

    function decoded(bytes memory answer) private pure returns (Stake memory one) {
        assembly ("memory-safe") {
            mstore(add(answer, SELECTOR_BYTES), sub(mload(answer), SELECTOR_BYTES))
            answer := add(answer, SELECTOR_BYTES)
        }
        return abi.decode(answer, (Stake));
    }

    /// Always reverts: with what it found, or without a reason.
    function undone(Chef calldata chef, address wallet, uint256 pid, uint256 kept) external {
        Stake memory one = stake(chef, wallet, pid);
        uint256 since = Token(chef.reward).balanceOf(chef.payer);
        one.minted = since > kept ? since - kept : 0;
        revert Found(one);
    }

    /// Without a token if the wallet has nothing there.
    function stake(Chef calldata chef, address wallet, uint256 pid) private returns (Stake memory one) {
        bytes memory info = read(chef.chef, abi.encodeWithSignature("userInfo(uint256,address)", pid, wallet));
        (uint256 amount, uint256 debt) = abi.decode(info, (uint256, uint256));
        if (amount == 0 && debt == 0) return one;
        string memory list = chef.hasList ? "lpToken(uint256)" : "poolInfo(uint256)";
        one.token = abi.decode(read(chef.chef, abi.encodeWithSignature(list, pid)), (address));
        (one.pid, one.amount) = (pid, amount);
        // Where the pool cannot be brought up to date, a claim reverts: there is nothing to be had.
        (bool isPaying,) = chef.chef.call{gas: UPDATE_GAS}(abi.encodeWithSignature("updatePool(uint256)", pid));
        if (!isPaying) return one;
        bytes memory told = read(chef.chef, abi.encodeWithSelector(chef.pending, pid, wallet));
        one.pending = wordOf(told, 0);
        if (chef.bonusAt > 0) readBonus(chef, told, one);
        if (!chef.hasRewarders) return one;
        address rewarder =
            abi.decode(read(chef.chef, abi.encodeWithSignature("rewarder(uint256)", pid)), (address));
        if (rewarder == address(0)) return one;
        try this.paidBy{gas: REWARDER_GAS}(Rewarder(rewarder), pid, wallet, one.pending) returns (Reward[] memory more) {
            one.more = more;
        } catch {
            one.lacksRewards = true;
        }
    }

    /// The view's words: the reward, the token of the bonus, its symbol, how much.
    function readBonus(Chef calldata chef, bytes memory told, Stake memory one) private view {
        bytes memory pool = read(chef.chef, abi.encodeWithSignature("poolInfo(uint256)", one.pid));
        address rewarder = address(uint160(wordOf(pool, chef.bonusAt)));
        if (rewarder == address(0)) return;
        address token = address(uint160(wordOf(told, 1)));
        try this.bonusOf{gas: REWARDER_GAS}(rewarder, token, wordOf(told, 3)) returns (Reward memory bonus) {
            one.more = new Reward[](1);
            one.more[0] = bonus;
        } catch {
            one.lacksRewards = true;
        }
    }

    /// As far as the rewarder has it; the native coin, of token zero, where it pays that in the place of a wrapped one.
    function bonusOf(address rewarder, address token, uint256 amount) external view returns (Reward memory) {
        (bool ok, bytes memory answer) = rewarder.staticcall(abi.encodeWithSignature("isNative()"));
        bool isNative = ok && answer.length == 32 && wordOf(answer, 0) == 1;
        uint256 kept = isNative ? rewarder.balance : Token(token).balanceOf(rewarder);
        return Reward(isNative ? address(0) : token, amount < kept ? amount : kept);
    }

    function wordOf(bytes memory answer, uint256 place) private pure returns (uint256 word) {
        require(answer.length >= 32 * (place + 1));
        assembly ("memory-safe") {
            word := mload(add(add(answer, 32), mul(place, 32)))
        }
    }

    /// What a rewarder pays beside the chef, as far as it has it.
    function paidBy(Rewarder rewarder, uint256 pid, address wallet, uint256 pending)
        external
        view
        returns (Reward[] memory more)
    {
        (address[] memory tokens, uint256[] memory amounts) = rewarder.pendingTokens(pid, wallet, pending);
        uint256 count = tokens.length > MOST_REWARDS ? MOST_REWARDS : tokens.length;
        more = new Reward[](count);
        for (uint256 i = 0; i < count; i++) {
            uint256 kept = Token(tokens[i]).balanceOf(address(rewarder));
            more[i] = Reward(tokens[i], amounts[i] < kept ? amounts[i] : kept);
        }
    }

    function read(address target, bytes memory data) private view returns (bytes memory answer) {
        bool ok;
        (ok, answer) = target.staticcall(data);
        require(ok && answer.length >= 32);
    }
}
