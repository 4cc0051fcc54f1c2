// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

interface Comptroller {
    function getAssetsIn(address wallet) external view returns (address[] memory);
    function getAccountLiquidity(address wallet) external view returns (uint256, uint256, uint256);
    function oracle() external view returns (Oracle);
    function vaiController() external view returns (VaiController);
    function mintedVAIs(address wallet) external view returns (uint256);
}

interface Oracle {
    function getUnderlyingPrice(address market) external view returns (uint256);
}

interface VaiController {
    function getVAIRepayAmount(address wallet) external view returns (uint256);
}

interface Market {
    function balanceOfUnderlying(address wallet) external returns (uint256);
    function borrowBalanceCurrent(address wallet) external returns (uint256);
    function getAccountSnapshot(address wallet) external view returns (uint256, uint256, uint256, uint256);
}

interface Token {
    function balanceOf(address wallet) external view returns (uint256);
}

/**
 * What a wallet has at one comptroller of the Compound v2 lineage, in one call: the markets it entered (every market with
 * a debt is among them) and those whose tokens it holds, interest accrued to the block, the health of the account and
 * the rewards it could claim. It is never deployed: its runtime code travels with the call.
 */
contract CompoundV2Lens {
    struct Balance {
        address market;
        uint256 supplied;
        uint256 borrowed;
    }

    struct Rewards {
        address token;
        // claim(address wallet, address[] markets) and accrued(address wallet) of this comptroller
        bytes4 claim;
        bytes4 accrued;
    }

    error Claimed(uint256 amount);

    /**
     * health: what counts as collateral ÷ what is owed, 18 decimals; the maximum without debt. It comes
     * from the comptroller's own liquidity, so that its own factors decide. priced is false when its oracle fails.
     */
    function account(address comptroller, address wallet, address[] calldata held, bool mintsVai, Rewards calldata rewards)
        external
        returns (Balance[] memory balances, uint256 vaiDebt, bool priced, uint256 health, uint256 reward)
    {
        address[] memory markets = union(Comptroller(comptroller).getAssetsIn(wallet), held);
        // First: interest that is accrued below changes what a claim would round.
        if (rewards.token != address(0)) reward = claimable(comptroller, wallet, markets, rewards);
        balances = new Balance[](markets.length);
        for (uint256 i = 0; i < markets.length; i++) {
            (uint256 supplied, uint256 borrowed) = balanceOf(markets[i], wallet);
            balances[i] = Balance(markets[i], supplied, borrowed);
        }
        if (mintsVai) vaiDebt = vaiOwed(comptroller, wallet);
        (priced, health) = healthOf(comptroller, wallet, balances, vaiDebt);
    }

    function union(address[] memory entered, address[] calldata held) private pure returns (address[] memory all) {
        all = new address[](entered.length + held.length);
        uint256 count = entered.length;
        for (uint256 i = 0; i < count; i++) all[i] = entered[i];
        for (uint256 i = 0; i < held.length; i++) {
            bool known = false;
            for (uint256 j = 0; j < entered.length && !known; j++) known = entered[j] == held[i];
            if (!known) all[count++] = held[i];
        }
        assembly ("memory-safe") {
            mstore(all, count)
        }
    }

    /// A market whose interest can no longer be computed still keeps its last figures, which is what it would pay on.
    function balanceOf(address market, address wallet) private returns (uint256 supplied, uint256 borrowed) {
        try Market(market).balanceOfUnderlying(wallet) returns (uint256 current) {
            supplied = current;
            borrowed = Market(market).borrowBalanceCurrent(wallet);
        } catch {
            (uint256 failed, uint256 tokens, uint256 owed, uint256 rate) = Market(market).getAccountSnapshot(wallet);
            require(failed == 0, "market unreadable");
            supplied = (tokens * rate) / 1e18;
            borrowed = owed;
        }
    }

    function vaiOwed(address comptroller, address wallet) private view returns (uint256) {
        VaiController controller = Comptroller(comptroller).vaiController();
        if (address(controller).code.length > 0) {
            try controller.getVAIRepayAmount(wallet) returns (uint256 owed) {
                return owed;
            } catch {}
        }
        return Comptroller(comptroller).mintedVAIs(wallet);
    }

    function healthOf(address comptroller, address wallet, Balance[] memory balances, uint256 debt)
        private
        view
        returns (bool, uint256)
    {
        Oracle oracle;
        for (uint256 i = 0; i < balances.length; i++) {
            if (balances[i].borrowed == 0) continue;
            if (address(oracle) == address(0)) oracle = Comptroller(comptroller).oracle();
            if (address(oracle).code.length == 0) return (false, 0);
            try oracle.getUnderlyingPrice(balances[i].market) returns (uint256 price) {
                debt += (balances[i].borrowed * price) / 1e18;
            } catch {
                return (false, 0);
            }
        }
        if (debt == 0) return (true, type(uint256).max);
        try Comptroller(comptroller).getAccountLiquidity(wallet) returns (uint256 failed, uint256 spare, uint256 short) {
            if (failed != 0 || debt + spare < short) return (false, 0);
            return (true, ((debt + spare - short) * 1e18) / debt);
        } catch {
            return (false, 0);
        }
    }

    /// What a claim would pay now, and what it would leave owed because the comptroller has run out of the token.
    function claimable(address comptroller, address wallet, address[] memory markets, Rewards calldata rewards)
        private
        returns (uint256)
    {
        if (markets.length > 0) {
            try this.claim(comptroller, wallet, markets, rewards) {} catch (bytes memory answer) {
                if (answer.length == 36 && bytes4(answer) == Claimed.selector) return word(answer, 36);
            }
        }
        return accrued(comptroller, wallet, rewards);
    }

    /// Always reverts: what the claim moved is undone before anything else of the same call is read.
    function claim(address comptroller, address wallet, address[] calldata markets, Rewards calldata rewards) external {
        uint256 before = Token(rewards.token).balanceOf(wallet);
        (bool ok,) = comptroller.call(abi.encodeWithSelector(rewards.claim, wallet, markets));
        require(ok, "claim refused");
        uint256 paid = Token(rewards.token).balanceOf(wallet) - before;
        revert Claimed(paid + accrued(comptroller, wallet, rewards));
    }

    /// A comptroller that does not know the function (its refusal says nothing) pays no such rewards.
    function accrued(address comptroller, address wallet, Rewards calldata rewards) private view returns (uint256) {
        (bool ok, bytes memory answer) = comptroller.staticcall(abi.encodeWithSelector(rewards.accrued, wallet));
        if (!ok && answer.length == 0) return 0;
        require(ok && answer.length >= 32, "rewards unreadable");
        return word(answer, 32);
    }

    function word(bytes memory data, uint256 end) private pure returns (uint256 value) {
        assembly ("memory-safe") {
            value := mload(add(data, end))
        }
    }
}
